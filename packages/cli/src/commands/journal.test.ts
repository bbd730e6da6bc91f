import { cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openApprovalKey } from "@slipway/kernel/change/land/approvals/key";
import { openEnvelope } from "@slipway/kernel/change/judge/evidence/statement";
import { describe, expect, test } from "vitest";
import { layoutAt } from "@slipway/kernel/host/layout";
import { letters, type Project } from "../testing/project.ts";

async function waiting(): Promise<Project> {
  const project = letters();
  expect((await project.run()).code).toBe(23);
  return project;
}

async function merged(): Promise<Project> {
  const project = await waiting();
  await project.slipway(["approve"]);
  expect((await project.slipway(["merge"])).code).toBe(0);
  return project;
}

const verify = (project: Project, ...more: readonly string[]) => project.slipway(["journal", "verify", ...more]);

describe("slipway journal verify", () => {
  test("an intact journal: every stream, its length and its head", async () => {
    const project = await merged();
    const { code, stdout } = await verify(project);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {6}repository: \d+ events, head [0-9a-f]{16}\n/);
    expect(stdout).toMatch(/^ok {6}\S+_letters\/feature:letters: \d+ events/m);
    expect(stdout).toMatch(/The journal is intact \(3 streams\)\.\n$/);
    const [report] = (await verify(project, "repository", "--json")).json<{ ok: boolean; streams: Record<string, object> }>();
    expect(report).toMatchObject({ ok: true, streams: { repository: { ok: true, head: { hash: expect.any(String) } } } });
    expect(Object.keys(report?.streams ?? {})).toEqual(["repository"]);
  });

  test("an edited row is found, with stream and event; exit 3", async () => {
    const project = await merged();
    const builder = "name = 'builder:1' AND kind = 'step'";
    const [{ seq } = {}] = project.sql(`SELECT seq FROM events WHERE ${builder}`);
    project.sql(`UPDATE events SET payload = replace(payload, 'two', 'six') WHERE ${builder}`);
    const { code, stdout } = await verify(project);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      new RegExp(`^BROKEN {2}\\S+/feature:letters: edited at event ${seq}\\. Event ${seq} was changed after it was written\\.\n`, "m"),
    );
    expect(stdout).toMatch(/^ok {6}repository/m);
    expect(stdout).toContain(`The journal has been changed. Keep a copy of ${layoutAt(project.root).truth} before you do anything else.\n`);
    expect((await verify(project, "--json")).json()).toMatchObject([{ ok: false }]);
    expect((await verify(project, "repository")).code).toBe(0);
  });

  test.each([
    ["a removed row", "DELETE FROM events WHERE stream = 'repository' AND seq = 3", "gap"],
    [
      "a truncated end",
      "DELETE FROM events WHERE stream = 'repository' AND seq = (SELECT max(seq) FROM events WHERE stream = 'repository')",
      "truncated",
    ],
  ])("%s is found", async (_what, statement, reason) => {
    const project = await merged();
    project.sql(statement);
    const { code, stdout } = await verify(project);
    expect(code).toBe(3);
    expect(stdout).toMatch(new RegExp(`^BROKEN {2}repository: ${reason} at event`, "m"));
  });

  test("a database restored from an older copy is found by the heads kept outside", async () => {
    const project = await waiting();
    const copy = join(project.home, "copy");
    cpSync(layoutAt(project.root).truth, copy, { recursive: true });
    await project.slipway(["approve"]);
    await project.slipway(["merge"]);
    rmSync(layoutAt(project.root).truth, { recursive: true });
    cpSync(copy, layoutAt(project.root).truth, { recursive: true });
    const { code, stdout } = await verify(project);
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /^BROKEN {2}repository: rolled_back at event \d+\. The stream ends at event \d+; a head kept elsewhere names event \d+\.\n/m,
    );
    const heads = join(project.home, "state", "slipway", "heads");
    const kept = readdirSync(join(heads, readdirSync(heads)[0] ?? ""));
    expect(kept.filter((name) => name.endsWith(".json"))).toHaveLength(3);
  });

  test("a payload missing from the object store is found", async () => {
    const project = letters();
    const long = `${"x".repeat(100_000)}`;
    project.record("builder", "1", { type: "REQUEST", request: "more_context", text: long });
    await project.run();
    const blobs = project.sql("SELECT payload FROM events WHERE payload LIKE '%$blob%'");
    expect(blobs.length).toBeGreaterThan(0);
    expect((await verify(project)).code).toBe(0);
    rmSync(layoutAt(project.root).objects, { recursive: true });
    const { code, stdout } = await verify(project);
    expect(code).toBe(3);
    expect(stdout).toMatch(/BROKEN.*blob_missing/);
  });

  test("a stream that does not exist is not reported as intact", async () => {
    const project = await waiting();
    for (const action of ["verify", "show"]) {
      const { code, stdout, stderr } = await project.slipway(["journal", action, "nothing"]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/^run_not_found: The journal has no stream nothing\.\n {2}next: /);
    }
  });
});

describe("slipway journal show", () => {
  test("prints the newest events of every stream, as lines or as JSON, up to a limit", async () => {
    const project = await merged();
    const { stdout } = await project.slipway(["journal", "show"]);
    expect(stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z {2}\S+_letters +1 {2}started +features {2}[0-9a-f]{12}\n/);
    expect(stdout).toMatch(/repository +\d+ {2}operation +feature\.init/);
    const some = (await project.slipway(["journal", "show", "repository", "--limit", "2", "--json"])).json<{
      stream: string;
      seq: number;
    }>();
    const last = Number(project.sql("SELECT max(seq) AS n FROM events WHERE stream = 'repository'")[0]?.["n"]);
    expect(some.map(({ stream, seq }) => `${stream} ${seq}`)).toEqual([`repository ${last - 1}`, `repository ${last}`]);
  });

  test("an unknown action and invalid numbers are refused", async () => {
    const project = await waiting();
    const refused: [string, ...string[]][] = [
      ["slipway journal has no action 'frobnicate'.", "frobnicate"],
      ["--limit takes a whole number, not 'many'.", "show", "--limit", "many"],
      ["Option '--older-than' argument is ambiguous.", "prune", "--older-than", "-1"],
      ["--older-than takes a whole number, not '1.5'.", "prune", "--older-than=1.5"],
    ];
    for (const [message, ...argv] of refused) {
      const { code, stderr } = await project.slipway(["journal", ...argv]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^invalid_cli_args: .*\n {2}next: /);
      expect(stderr).toContain(message);
    }
  });
});

describe("slipway journal prune", () => {
  test("drops old finished runs, keeps the rest, and the journal still verifies", async () => {
    const project = await merged();
    expect((await project.slipway(["journal", "prune"])).stdout).toMatch(/^0 events of 0 finished runs were dropped/);
    const { code, stdout } = await project.slipway(["journal", "prune", "--older-than", "0"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d\d events of 2 finished runs were dropped; count and head of each are kept\.\n$/);
    expect((await project.slipway(["journal", "prune", "--older-than", "0", "--json"])).json()).toEqual([{ ok: true, runs: 0, events: 0 }]);
    expect((await verify(project)).code).toBe(0);
    expect((await project.slipway(["merge"])).stdout).toContain("already");
  });

  test("leaves a waiting run alone", async () => {
    const project = await waiting();
    await project.slipway(["journal", "prune", "--older-than", "0"]);
    await project.slipway(["approve"]);
    expect((await project.slipway(["merge"])).code).toBe(0);
  });
});

describe("slipway evidence", () => {
  test("as Markdown: what merged, who approved, which checks ran on which tree", async () => {
    const project = await merged();
    const { code, stdout } = await project.slipway(["evidence", "letters"]);
    const [commit, tree] = project.git("rev-parse", "main", "main^{tree}").trim().split("\n");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^# Evidence for letters\n/);
    expect(stdout).toContain(`Merged into main as \`${commit}\` (tree \`${tree}\``);
    expect(stdout).toContain("approved by kim");
    expect(stdout).toContain("## Checks (4 passed, 0 failed)");
    const bundle = (await project.slipway(["evidence", "--json"])).json<Record<string, unknown>>()[0];
    expect(bundle).toMatchObject({ merge: { commit, tree } });
  });

  test("as an in-toto statement that verifies with the person's key, and not after a change", async () => {
    const project = await merged();
    const { code, json } = await project.slipway(["evidence", "--format", "in-toto"]);
    const [envelope] = json<{ payload: string; signatures: object[] }>();
    expect(code).toBe(0);
    const key = await openApprovalKey({ configHome: join(project.home, "config"), repositoryRoot: project.root });
    expect(openEnvelope(key, envelope)).toMatchObject({
      _type: "https://in-toto.io/Statement/v1",
      subject: [
        { digest: { gitCommit: project.git("rev-parse", "main").trim() } },
        { digest: { gitTree: project.git("rev-parse", "main^{tree}").trim() } },
      ],
      predicate: { feature: "letters", approval: { by: "kim" } },
    });
    const forged = Buffer.from(String(Buffer.from(envelope?.payload ?? "", "base64")).replace('"kim"', '"eve"')).toString("base64");
    expect(() => openEnvelope(key, { ...envelope, payload: forged })).toThrow("changed after signing");
  });

  test("refuses an unknown format, and a statement about an unmerged feature", async () => {
    const project = await waiting();
    expect(await project.slipway(["evidence", "--format", "pdf"])).toMatchObject({
      code: 2,
      stderr: "invalid_cli_args: There is no evidence format 'pdf'.\n  next: Use --format markdown or --format in-toto.\n",
    });
    const { code, stderr } = await project.slipway(["evidence", "--format", "in-toto"]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^merge_failed: "letters" is not merged.*\n {2}next: Merge it first/);
    expect((await project.slipway(["evidence"])).stdout).toContain("Not merged.");
  });
});

test("none of these commands creates a database", async () => {
  const project = letters();
  for (const argv of [["journal", "verify"], ["journal", "show"], ["evidence"], ["inbox"], ["watch"], ["stop"], ["approve"], ["diff"]]) {
    expect(await project.slipway(argv)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^run_not_found: Nothing has run in this repository yet/),
    });
  }
  expect(existsSync(join(project.root, ".slipway"))).toBe(false);
});
