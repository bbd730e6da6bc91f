import { SlipwayError } from "@slipway/agents/errors";
import { afterEach, describe, expect, test } from "vitest";
import { protocolRole } from "../../dispatch/roles.ts";
import { changed, sampleSpec, sampleTask, TASK } from "./testing/specs.ts";
import { emit, openStudio, PAGES, write, type Studio, type StudioOptions, type Turn } from "./testing/studio.ts";

let studio: Studio;
afterEach(() => studio.close());

const TOOLS = ["web_search", "read_file", "write_file", "validate_spec", "search_code_index", "emit_structured_spec"];

/** Performs these rounds up to the gate; returns what each round was told about the one before. */
async function run(script: readonly Turn[], options: StudioOptions = {}): Promise<string[]> {
  studio = await openStudio([...script, [emit(sampleSpec())]], options);
  await studio.drive(await studio.start());
  return studio.asked.map(({ input }) => input.last_tool_results);
}

describe("[FAC-004] the product owner", () => {
  test("has six tools, and no others are performed", async () => {
    const role = await protocolRole("factory", "product-owner", async () => null);
    expect(role.tools.toSorted()).toEqual(TOOLS.toSorted());
    const [, told] = await run([[{ tool: "delete_file", path: "SPEC.md" }]]);
    expect(told).toBe("none");
    expect(studio.asked[1]?.errors?.[0]).toMatch(/delete_file/);
    expect(TOOLS.filter((name) => !studio.asked[1]?.errors?.[0]?.includes(name))).toEqual([]);
  });

  test("sees every tool with its inputs, and the whole schema of a spec", async () => {
    await run([]);
    const shown = JSON.stringify(studio.asked[0]?.schema);
    for (const name of [...TOOLS, "max_results", "spec_path", "top_k", "io_contract_sketch", "user_facing_behavior"])
      expect(shown).toContain(`"${name}"`);
  });
});

describe("[FAC-005] web_search", () => {
  test("returns at most ten results, in their order", async () => {
    const [, told = ""] = await run([[{ tool: "web_search", query: "ledgers", max_results: 25 }]], { webSearch: async () => PAGES });
    const results = JSON.parse(told.split("\n")[1] ?? "") as object[];
    expect(results).toEqual(PAGES.slice(0, 10));
  });

  test("asks for ten by default, and for fewer on request", async () => {
    const wanted: [string, number][] = [];
    const webSearch = async (query: string, most: number) => (wanted.push([query, most]), PAGES.slice(0, most));
    await run(
      [
        [
          { tool: "web_search", query: "one" },
          { tool: "web_search", query: "two", max_results: 3 },
        ],
      ],
      { webSearch },
    );
    expect(wanted).toEqual([
      ["one", 10],
      ["two", 3],
    ]);
  });

  test("is off by default: it says so, and the work continues", async () => {
    const [, told] = await run([[{ tool: "web_search", query: "ledgers" }]]);
    expect(told).toMatch(/web_search is off: no backend is configured under runtime\.web_search/);
    expect((await studio.question()).kind).toBe("spec_approval");
  });

  test("sends no secret of this machine", async () => {
    const queries: string[] = [];
    const webSearch = async (query: string) => (queries.push(query), []);
    await run([[{ tool: "web_search", query: "is a-very-secret-value safe" }]], { webSearch });
    expect(queries[0]).toContain("safe");
    expect(queries[0]).not.toContain("a-very-secret-value");
  });

  test("reports its errors", async () => {
    const webSearch = () => Promise.reject(new SlipwayError("provider_unavailable", "nobody there"));
    const [, told] = await run([[{ tool: "web_search", query: "ledgers" }]], { webSearch });
    expect(told).toContain('{"error":"nobody there"}');
  });
});

describe("[FAC-006] files", () => {
  const read = (path: string) => ({ tool: "read_file", path });

  test("are the person's page, drafts and committed files; a draft may be overwritten", async () => {
    const files = { "docs/banks.md": "# Banks\n" };
    const calls = [read("SPEC.md"), read("docs/banks.md"), write("./drafts//one.json", "first"), write("drafts/one.json", "second")];
    const [, told, after] = await run([calls, [read("drafts/one.json")]], { files });
    expect(told).toContain('{"content":"# Ledger\\n\\nRead bank statements and add them up.\\n"}');
    expect(told).toContain('{"content":"# Banks\\n"}');
    expect(told).toContain('{"success":true}');
    expect(after).toContain('{"content":"second"}');
  });

  test("outside are neither read nor written", async () => {
    const outside = ["../outside.md", "/etc/passwd", "a/../../b", ".git/config", "C:/x", "a\\b", "..", "."];
    const [, reading = "", writing = ""] = await run([outside.map(read), outside.map((path) => write(path, "x"))]);
    const refusals = /\{"error":"The path [^}]*\}/g;
    expect(reading.match(refusals)).toHaveLength(outside.length);
    expect(writing.match(refusals)).toHaveLength(outside.length);
  });

  test("that are missing, binary or the person's own are refused", async () => {
    const committed: Record<string, Uint8Array> = { "large.txt": Buffer.alloc(300_000, "x"), "logo.png": Buffer.from([0xff, 0xd8]) };
    const calls = [read("missing.md"), read("large.txt"), read("logo.png"), write("SPEC.md", "mine now")];
    const [, told = ""] = await run([calls], { readRepository: async (path) => committed[path] ?? null });
    expect(told).toContain('There is no \\"missing.md\\" in the workspace.');
    expect(told).toContain("has 300000 bytes");
    expect(told).toContain('\\"logo.png\\" is no text.');
    expect(told).toContain("SPEC.md is the person's own");
  });
});

describe("[FAC-007] validate_spec", () => {
  const validate = { tool: "validate_spec", spec_path: "draft.json" };

  test("reports on the named draft, by schema and criteria", async () => {
    const draft = changed(changed(sampleSpec([sampleTask(1)]), "/spec_id", "S1"), "/description", "short");
    const [, told = ""] = await run([[write("draft.json", changed(draft, `${TASK}/depends_on`, ["TSK-009"])), validate]]);
    const report = JSON.parse(told.split("\n").at(-1) ?? "") as Record<string, { path: string }[]>;
    expect(report).toEqual({
      errors: [
        { path: `${TASK}/depends_on/0`, field: "depends_on", severity: "ERROR", message: expect.stringContaining("TSK-009") },
        { path: "/spec_id", field: "spec_id", severity: "ERROR", message: expect.stringContaining("SPEC-") },
      ],
      warnings: [{ path: "/description", field: "description", severity: "WARNING", message: expect.any(String) }],
    });
  });

  test("reports invalid JSON and a missing draft", async () => {
    const [, told = ""] = await run([[validate, write("draft.json", "{'a': 1}"), validate]]);
    expect(told).toContain('There is no \\"draft.json\\"');
    expect(told).toContain("not valid JSON");
  });
});

test("search_code_index needs only a query, and returns entries as the index has them", async () => {
  const asked: unknown[] = [];
  const entry = { module: "MM-parser@1.0.0", contract_summary: "parses lines", input_types: ["string"], similarity_score: 0.7 };
  const searchCodeIndex = async (query: unknown) => (asked.push(query), [entry]);
  const full = { query: "sums", tags: ["money"], input_types: ["number[]"], output_types: ["number"], include_inactive: true, top_k: 3 };
  const [, told] = await run(
    [
      [
        { tool: "search_code_index", query: "parse a line" },
        { tool: "search_code_index", ...full },
      ],
    ],
    { searchCodeIndex },
  );
  expect(asked).toEqual([{ query: "parse a line", include_inactive: false, top_k: 10 }, full]);
  expect(JSON.parse(told?.split("\n")[1] ?? "")).toEqual([entry]);
});

describe("emit_structured_spec", () => {
  const bad = changed(changed(sampleSpec(), `${TASK}/subtasks`, []), "/title", "");

  test("[FAC-010] [FAC-032] with an error stores nothing, reports all errors, and the run continues", async () => {
    studio = await openStudio([[emit(bad), write("after.md", "still here")], new Error("stop here")]);
    await studio.drive(await studio.start()).catch(() => undefined);
    const told = studio.asked[1]?.input.last_tool_results ?? "";
    expect(told).toContain("Nothing was emitted");
    expect(told).toContain(`"path":"${TASK}/subtasks"`);
    expect(told).toContain('"path":"/title"');
    expect(told).toContain("after.md");
    expect(studio.file("state_store/product/spec.json")).toBeNull();
    expect((await studio.events()).map(({ name }) => name)).not.toContain("factory.emit_spec");
  });

  test("[FAC-009] [FAC-039] stores the spec twice, returns its reference, and ends the agent's loop", async () => {
    const spec = sampleSpec();
    studio = await openStudio([[emit(spec), write("after.md", "never")]]);
    await studio.drive(await studio.start());
    expect(JSON.parse(studio.file("state_store/product/spec.json") ?? "")).toEqual(spec);
    expect(studio.file("state_store/product/spec.md")).toContain("##### Task TSK-002: Parse record 2");
    const { context } = await studio.question();
    expect(context["artifact_ref"]).toMatch(/^SPEC-[0-9a-f]{8}@1\.0\.0$/);
    const [event] = (await studio.events()).filter(({ name }) => name === "factory.emit_spec");
    expect(event?.payload).toContain(String(context["artifact_ref"]));
    expect(studio.asked).toHaveLength(1);
    expect(studio.file(`runs/${(await studio.question()).runId}/product/1/after.md`)).toBeNull();
  });

  test("[FAC-032] a warning does not prevent it: it is stored with the spec", async () => {
    await run([[emit(changed(sampleSpec(), "/description", "short"))]]);
    const warning = { path: "/description", field: "description", severity: "WARNING", message: expect.any(String) };
    expect(JSON.parse(studio.file("state_store/product/emission.json") ?? "")).toEqual({ warnings: [warning], sources: [] });
    expect((await studio.question()).context["warnings"]).toEqual([warning]);
  });
});
