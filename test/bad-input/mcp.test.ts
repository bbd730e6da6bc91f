import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { adding, replacing } from "../attacks/patches.ts";
import { connectRaw } from "../attacks/raw.ts";
import { connect } from "../attacks/server.ts";
import { openSite, planFor, type Site } from "../attacks/site.ts";
import { unharmed } from "../attacks/surroundings.ts";
import { makeYard, OPEN_POLICY } from "../attacks/yard.ts";
import { processesWith, slipway } from "./place.ts";

/** Unique in the command lines of this machine. */
const LONG = `sleep 299.${process.pid}`;

let site: Site;
let feature: string;
beforeAll(async () => {
  const gates = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: check, cmd: [sh, check.sh] }]
      full: [{ name: check, cmd: [sh, check.sh] }]
      merge: [{ name: long, cmd: [sh, long.sh] }]
`;
  site = await openSite({
    files: { "slipway/policy.yaml": OPEN_POLICY, "slipway/gates.yaml": gates, "long.sh": `${LONG}\n` },
  });
  feature = await site.feature();
});
afterAll(() => site.close());

describe("an invalid call gets all errors, and changes nothing", () => {
  test.each<[string, string, Record<string, unknown>, string]>([
    ["a missing argument", "repo.apply_patch", {}, "/unified_diff"],
    ["a missing feature", "repo.apply_patch", { feature_id: undefined, unified_diff: "" }, "/feature_id"],
    ["a wrong type", "repo.apply_patch", { unified_diff: 7 }, "/unified_diff"],
    ["a list for a text", "repo.read_file", { path: ["src/a.txt"] }, "/path"],
    ["an unknown argument", "repo.status", { verbose: true }, "/verbose"],
    ["a missing caller name", "repo.status", { actor_id: undefined }, "/actor_id"],
    ["a version that is not a number", "gates.run", { profile: "default", mode: "fast", expected_version: "1" }, "/expected_version"],
    ["an excessive operation id", "gates.run", { profile: "default", mode: "fast", operation_id: "x".repeat(1000) }, "/operation_id"],
  ])("%s", async (_what, tool, input, pointer) => {
    const before = await site.state(feature);
    const error = await unharmed(site.yard, [feature], () => site.builder.refused(tool, { feature_id: feature, ...input }));
    expect(error).toMatchObject({ code: "schema_validation_failed", details: { retryable: false } });
    expect((error.details["violations"] as { pointer: string }[]).map((violation) => violation.pointer)).toContain(pointer);
    expect(error.details.suggested_next_actions).not.toEqual([]);
    expect(await site.state(feature)).toEqual(before);
  });

  test("an unknown tool, with the closest name", async () => {
    await expect(site.builder.call("repo.aply_patch", { feature_id: feature })).rejects.toThrow(
      /no tool "repo.aply_patch"; did you mean repo.apply_patch/,
    );
  });

  test("a feature that does not exist", async () => {
    for (const tool of ["feature.state_get", "feature.get_context", "repo.status", "repo.diff", "plan.get", "evidence.latest"])
      expect(await site.builder.refused(tool, { feature_id: "nothing" })).toMatchObject({ code: "feature_not_found" });
  });

  test("a version that is no longer current, with both versions", async () => {
    const { version } = await site.state(feature);
    const error = await unharmed(site.yard, [feature], () =>
      site.builder.refused("repo.apply_patch", {
        feature_id: feature,
        unified_diff: adding("src/stale.txt"),
        expected_version: version - 1,
      }),
    );
    expect(error).toMatchObject({ code: "version_conflict", details: { expected_version: version - 1, actual_version: version } });
    expect((await site.state(feature)).version).toBe(version);
  });

  test("bytes that are no message: the server reports it and continues", async () => {
    const raw = await connectRaw(site.yard, "builder");
    for (const text of ["nonsense", "{", '{"jsonrpc":"2.0","id":7,"method":"tools/call"', "[]", "\u0000"])
      expect((await raw.line(text))?.error, text).toBeDefined();
    const answer = await raw.call("repo.status", JSON.stringify({ actor_type: "builder", actor_id: "b", feature_id: feature }));
    expect(answer?.result?.structuredContent?.ok).toBe(true);
  });
});

describe("specifications and ids", () => {
  test.each(["main", "Main", "README", "a b", ".hidden"])("the id %j is refused before a branch is made", async (feature_id) => {
    const { yard, orchestrator } = site;
    yard.write(`.slipway/features/${feature_id}/spec.md`, "# Spec\n\nWords.\n");
    const error = await unharmed(yard, [], () => orchestrator.refused("feature.init", { feature_id }));
    expect(["schema_validation_failed", "invalid_feature_slug"]).toContain(error.code);
  });

  test("a folder of any name among the features does not stop a server", async () => {
    const yard = await makeYard();
    onTestFinished(() => yard.remove());
    for (const name of ["a b", "x.lock", "-f", "logs.tmp"]) yard.write(`.slipway/features/${name}/spec.md`, "# Spec\n\nWords.\n");
    const client = await connect(yard, "builder");
    onTestFinished(() => client.close());
    expect(await client.ok("feature.discover_specs", {})).toEqual({ specs: [] });
    expect(yard.read(".slipway/features/x.lock/spec.md")).toBe("# Spec\n\nWords.\n");
  });

  test("a feature without a specification, or with an empty one", async () => {
    const { yard, orchestrator } = site;
    yard.write(".slipway/features/empty/spec.md", "");
    for (const feature_id of ["unspecified", "empty"]) {
      const error = await unharmed(yard, [], () => orchestrator.refused("feature.init", { feature_id }));
      expect(error.code).toMatch(/^(spec_ingest_failed|input_path_not_found|no_specs_found|feature_not_found)$/);
      expect(error.message).toContain(feature_id);
    }
  });

  test("two specifications with the same id stop the run before anything is created", async () => {
    const yard = await makeYard({ files: { "specs/login.spec.md": "# A\n\nWords.\n", "specs/login-spec.md": "# B\n\nWords.\n" } });
    onTestFinished(() => yard.remove());
    const ended = await unharmed(yard, [], () => slipway(yard, ["run", "-fl", "specs"]));
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/^feature_slug_collision: /) });
    for (const path of ["specs/login.spec.md", "specs/login-spec.md"]) expect(ended.stderr).toContain(path);
  });
});

test("two clients race on one feature: every acknowledged patch is applied, once", async () => {
  const { yard } = site;
  const raced = await site.feature();
  const rival = await connect(yard, "builder");
  onTestFinished(() => rival.close());
  const { version } = await site.state(raced);
  const patches = Array.from({ length: 8 }, (_, index) => ({
    feature_id: raced,
    unified_diff: adding(`src/race-${index}.txt`, `${index}\n`),
  }));
  const answers = await unharmed(yard, [raced], () =>
    Promise.all(patches.map((input, index) => (index % 2 === 0 ? site.builder : rival).call("repo.apply_patch", input))),
  );
  const refused = answers.flatMap((answer) => (answer.ok ? [] : [answer.error.code]));
  for (const code of refused) expect(["version_conflict", "worktree_changed", "operation_in_progress", "lock_conflict"]).toContain(code);
  const kept = answers.flatMap((answer, index) => (answer.ok ? [`src/race-${index}.txt`] : []));
  expect(kept.length).toBeGreaterThan(0);
  expect((await site.state(raced)).version).toBe(version + kept.length);
  const names = await site.builder.ok<{ diff: string }>("repo.diff", { feature_id: raced, options: ["--name-only"] });
  expect(names.diff.trim().split("\n").toSorted()).toEqual(kept.toSorted());
});

test("two clients with the same version: one wins, the other gets a conflict", async () => {
  const { yard } = site;
  const raced = await site.feature();
  const rival = await connect(yard, "builder");
  onTestFinished(() => rival.close());
  const { version: expected_version } = await site.state(raced);
  const call = (who: typeof rival, to: string) =>
    who.call("repo.apply_patch", { feature_id: raced, unified_diff: replacing("src/a.txt", "one", to), expected_version });
  const answers = await unharmed(yard, [raced], () => Promise.all([call(site.builder, "mine"), call(rival, "theirs")]));
  const outcomes = answers.map((answer) => (answer.ok ? "won" : answer.error.code)).toSorted();
  expect(outcomes).toEqual(["version_conflict", "won"]);
  const winner = answers[0]?.ok === true ? "mine" : "theirs";
  expect(yard.read(yard.worktree(raced, "src/a.txt"))).toBe(`${winner}\n`);
});

test("a client that disconnects during a gate leaves no process and no partial result; the next gate runs", async () => {
  const { yard } = site;
  const gated = await site.feature();
  const leaving = await connect(yard, "builder");
  const before = await site.state(gated);
  const call = leaving.call("gates.run", { feature_id: gated, profile: "default", mode: "merge" }).catch((error: unknown) => error);
  while (processesWith(LONG).length === 0) await sleep(20);
  await unharmed(yard, [gated], async () => {
    await leaving.close();
    await call;
    while (isAlive(leaving.pid)) await sleep(20);
  });
  await expect.poll(() => processesWith(LONG)).toEqual([]);
  await expect.poll(() => processesWith(yard.worktree(gated))).toEqual([]);
  expect(await site.state(gated)).toEqual(before);
  await site.builder.ok("gates.run", { feature_id: gated, profile: "default", mode: "fast" });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe("an invalid configuration stops the server, with its position", () => {
  test.each([
    ["invalid YAML", "slipway/policy.yaml", "version: 1\ncommit_policy: { allow_commit: false\n", /line 2, column \d+|line 3, column \d+/],
    ["a key given twice", "slipway/gates.yaml", "version: 1\nversion: 1\nprofiles: {}\n", /line 2, column 1/],
    ["an unknown field", "slipway/policy.yaml", `${OPEN_POLICY}protcted_areas: []\n`, /line \d+, column 1: .*protcted_areas/],
    [
      "a mode without steps",
      "slipway/gates.yaml",
      "version: 1\nprofiles:\n  default:\n    modes:\n      fast: []\n      full: []\n",
      /line 5, column \d+/,
    ],
    [
      "agents of an unknown kind",
      "slipway/agents.yaml",
      "version: 1\nroles: {}\nruntime: { default_provider: gpt }\n",
      /line 3, column \d+/,
    ],
  ])("%s", async (_what, path, text, place) => {
    const yard = await makeYard({ files: { [path]: text } });
    onTestFinished(() => yard.remove());
    const ended = await unharmed(yard, [], () => slipway(yard, ["mcp"]));
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toMatch(/^(config_invalid|unsupported_agent_provider): /);
    expect(ended.stderr).toContain(path);
    expect(ended.stderr).toMatch(place);
    expect(ended.stderr).toMatch(/\n {2}next: \S/);
  });

  test("a plan that is not a JSON object", async () => {
    const error = await site.orchestrator.refused("plan.submit", { feature_id: feature, plan_json: { ...planFor(feature), files: [] } });
    expect(error).toMatchObject({ code: "schema_validation_failed" });
    expect(error.message).toContain("/files");
  });
});
