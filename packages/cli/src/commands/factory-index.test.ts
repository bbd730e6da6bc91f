import { migrateFactory } from "@slipway/protocols/factory/tables";
import { openEmbeddingServer, type EmbeddingServer } from "@slipway/agents/testing/embedding-server";
import { openCodeIndex } from "@slipway/protocols/factory/code-index/code-index";
import { asSystem, entry } from "@slipway/protocols/factory/code-index/testing/scratch-index";
import { layoutAt } from "@slipway/kernel/host/layout";
import { openRecords } from "@slipway/kernel/open-records";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { letters, type Project } from "../testing/project.ts";

const date = (outputs: string[]) => ({ inputs: ["text: string"], outputs, error_surfaces: [], effects: [], modes: ["sync"] });

/** A repository with four shipped modules. */
async function shipped(): Promise<Project> {
  const project = letters();
  const records = await openRecords({ layout: layoutAt(project.root) });
  await migrateFactory(records.database.db, records.database.sqlite.path);
  const index = openCodeIndex({ db: records.database.db, door: records.door });
  for (const one of [
    entry("parse_date", { purpose: "Parses a calendar date.", tags: ["date", "parsing"], io_summary: date(["date: CalendarDate"]) }),
    entry("parse_date", { version: "1.1.0", purpose: "Parses a calendar date.", tags: ["date"], io_summary: date(["date: CalendarDate"]) }),
    entry("send_mail", { purpose: "Hands a message to the\nmail relay.", tags: ["email"] }),
    entry("haversine", { purpose: "Measures how far two places are apart.", tags: ["geo"] }),
  ])
    await index.append(asSystem(`${one.module_id}@${one.version}`), one);
  await index.retire(asSystem(), {
    module_ref: "MM-parse_date@1.0.0",
    status: "SUPERSEDED",
    superseded_by: "MM-parse_date@1.1.0",
    note: "n",
  });
  await records.close();
  return project;
}

let server: EmbeddingServer | null = null;
let project: Project;
beforeEach(async () => {
  project = await shipped();
});
afterEach(async () => {
  await server?.close();
  server = null;
});
const index = (...words: readonly string[]) => project.slipway(["factory", "index", ...words]);

/** From the next commit on, the code index is embedded over HTTP. */
async function configure(): Promise<EmbeddingServer> {
  server = await openEmbeddingServer();
  project.write(
    "slipway/agents.yaml",
    `version: 1
roles: {}
runtime:
  default_provider: replay
  api: { endpoints: { own: { kind: openai-compatible, base_url: "${server.baseUrl}" } } }
  embeddings: { model: own/letters, dimensions: 256, max_tokens: 512 }
`,
  );
  project.git("commit", "-qam", "another embedding model");
  return server;
}

describe("slipway factory index", () => {
  test("shows the number of entries and the model", async () => {
    expect(await index()).toMatchObject({
      code: 0,
      stdout: "modules: 3, versions: 4 (3 SHIPPED, 1 SUPERSEDED)\nmodel: slipway-hashed-384-v1 (384 dimensions)\n",
    });
    expect((await index("--json")).json()).toEqual([
      {
        modules: 3,
        counts: { SHIPPED: 3, DEPRECATED: 0, SUPERSEDED: 1 },
        model: { model: "slipway-hashed-384-v1", dimensions: 384 },
        embedded_with: { model: "slipway-hashed-384-v1", dimensions: 384 },
        searchable: true,
      },
    ]);
  });

  test("[FAC-186] [FAC-187] search: score, reference, status and purpose, with the filters of the tool", async () => {
    const { stdout, code } = await index("search", "parse a date");
    expect(code).toBe(0);
    const [first, ...others] = stdout.trimEnd().split("\n");
    expect(first).toMatch(/^0\.\d\d  MM-parse_date@1\.1\.0  SHIPPED  Parses a calendar date\.$/);
    expect(others).toHaveLength(2);
    expect(others.join("\n")).toContain("Hands a message to the mail relay.");
    expect((await index("search", "parse a date", "--limit", "1")).stdout.trimEnd().split("\n")).toHaveLength(1);
    expect((await index("search", "parse a date", "--include-inactive")).stdout).toContain("SUPERSEDED by MM-parse_date@1.1.0");
    const refs = async (...words: string[]) =>
      (await index("search", "anything", "--json", ...words))
        .json<{ results: { module_id: string }[] }>()[0]!
        .results.map(({ module_id }) => module_id)
        .toSorted();
    expect(await refs("--tag", "email, geo")).toEqual(["MM-haversine", "MM-send_mail"]);
    expect(await refs("--output-type", "CalendarDate")).toEqual(["MM-parse_date"]);
    expect(await refs("--input-type", "Money")).toEqual([]);
    expect((await index("search", "x", "--tag", "none")).stdout).toBe("No modules found.\n");
  });

  test("words that no embedding knows are found by text search", async () => {
    const { stdout } = await index("search", "haversine", "--limit", "1");
    expect(stdout).toMatch(/Matches by words:\n0\.\d\d  MM-haversine@1\.0\.0 /);
  });

  test("mistakes in arguments are reported with the fix", async () => {
    expect((await index("search")).stderr).toContain("missing argument <query>");
    expect((await index("search", "x", "--limit", "0")).stderr).toContain('--limit takes a number from 1 to 1000, not "0"');
    expect((await index("find", "x")).code).toBe(2);
    expect((await index("search", "--help")).stdout).toContain("slipway factory index search");
  });

  test("nothing shipped yet", async () => {
    const empty = letters();
    const records = await openRecords({ layout: layoutAt(empty.root) });
    await migrateFactory(records.database.db, records.database.sqlite.path);
    await records.close();
    expect((await empty.slipway(["factory", "index"])).stdout).toContain("The code index is empty");
    expect((await empty.slipway(["factory", "index", "search", "x"])).stdout).toBe("No modules found.\n");
  });
});

describe("another embedding model", () => {
  test("[FAC-183] is refused until everything is embedded again; then only the new model is used for searches, and no entry changes", async () => {
    const before = (await index("search", "parse a date", "--include-inactive", "--json")).json<{ results: object[] }>()[0]!;
    const { seen } = await configure();
    const refused = await index("search", "parse a date");
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      'The code index was embedded with "slipway-hashed-384-v1" (384 dimensions); "own/letters" (256) is configured.',
    );
    expect(refused.stderr).toContain("next: Run `slipway factory index reindex`, or configure the earlier model again.");
    expect((await index()).stdout).toContain("next: slipway factory index reindex\n");

    expect(await index("reindex")).toMatchObject({ code: 0, stdout: "4 entries embedded with own/letters.\n" });
    expect(seen.map(({ body }) => (body["input"] as string[]).length)).toEqual([4]);
    const { results, model } = (await index("search", "parse a date", "--include-inactive", "--json")).json<{
      results: { similarity_score: number; module_id: string; version: string }[];
      model: string;
    }>()[0]!;
    expect(model).toBe("own/letters");
    const plain = (found: readonly object[]) =>
      found.map((one) => JSON.stringify({ ...one, similarity_score: 0 })).toSorted((left, right) => left.localeCompare(right));
    expect(plain(results)).toEqual(plain(before.results));
    expect(project.sql("SELECT generation, length(vector) AS bytes FROM code_index_embeddings GROUP BY 1, 2")).toEqual([
      { generation: 2, bytes: 1024 },
    ]);
    expect((await index()).stdout).toContain("model: own/letters (256 dimensions)\n");

    project.write("slipway/agents.yaml", "version: 1\nroles: {}\n");
    project.git("commit", "-qam", "switching back to the built-in model");
    expect((await index("search", "parse a date")).stderr).toContain('embedded with "own/letters"');
    expect((await index("reindex", "--json")).json()).toEqual([{ ok: true, model: "slipway-hashed-384-v1", entries: 4 }]);
    expect((await index("search", "parse a date")).stdout).toMatch(/^0\.\d\d  MM-parse_date@1\.1\.0 /);
  });

  test("a model that does not answer leaves the index unchanged", async () => {
    const { fail } = await configure();
    fail({ status: 500, body: { error: { message: "down" } } });
    const failed = await index("reindex");
    expect(failed.code).toBe(2);
    expect(failed.stderr).toContain("own/letters failed (500)");
    expect((await index()).stdout).toContain("embedded with slipway-hashed-384-v1 (384)");
  });

  test("a factory run is refused before any agent is paid", async () => {
    await configure();
    project.write("numbers.md", "# Numbers\n\nDouble numbers.\n");
    const refused = await project.slipway(["factory", "numbers.md", "--cassette", project.cassette]);
    expect(refused.stderr).toContain("slipway factory index reindex");
    expect(refused.code).toBe(2);
    expect((await project.slipway(["status", "--json"])).stdout).not.toContain("numbers");
  });
});
