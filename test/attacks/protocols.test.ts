import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processesWith, slipway, type Ended } from "../bad-input/place.ts";
import { gatesOf, UNATTENDED } from "./gated-run.ts";
import { DECIDING } from "./hidden-change.ts";
import { DAEMON } from "./leave-daemon.ts";
import { rewriting } from "./patches.ts";
import { openSite, type Site } from "./site.ts";
import { makeYard, type Yard } from "./yard.ts";

const SUM = "export const sum = (left, right) => left + right;\n";
const PROJECT = {
  "package.json": '{ "type": "module" }\n',
  "lib/sum.js": SUM,
  "slipway/gates.yaml": gatesOf(["true"]),
  "slipway/policy.yaml": UNATTENDED.replace("require_user_approval: false", "require_user_approval: true"),
};

/** A repository whose gate accepts everything, and whose agents are played by a program of this folder. */
async function yardOf(agent: string): Promise<Yard> {
  const program = fileURLToPath(agent);
  const custom = { command: [process.execPath, "--conditions=slipway-source", program] };
  const agents = JSON.stringify({ version: 1, roles: {}, runtime: { default_provider: "custom", custom } });
  const yard = await makeYard({ files: { ...PROJECT, "slipway/agents.yaml": agents } });
  yard.git("reset", "--quiet", "--hard");
  return yard;
}

const FEATURE = "sum-adds-what-both";
const PROTOCOLS = [
  ["forge", import.meta.resolve("./forge-agent.ts"), ["forge", "sum adds what both texts say"]],
  ["crew", import.meta.resolve("./crew-agent.ts"), ["crew", "--lean", "change letters"]],
] as const;
const NOT_PROVEN = "The full gate did not turn red although an exception was planted in it (lib/sum.js), so its verdict proves nothing.";
const LOOK_CLOSELY = /Look closely: \.envrc: adds a file that runs by itself: direnv runs it/;

const yards: Yard[] = [];
afterAll(() => yards.forEach(({ remove }) => remove()));
const head = ({ git }: Yard) => git("log", "-1", "--format=%s", "main").trim();

describe.each(PROTOCOLS)("a run of %s whose gate accepts everything", (_name, agent, argv) => {
  let yard: Yard;
  let ran: Ended;
  beforeAll(async () => {
    yards.push((yard = await yardOf(agent)));
    ran = await slipway(yard, argv);
  }, 300_000);

  test("merges nothing: a person is asked, in the words of the planted failure", async () => {
    expect(ran.code, ran.stdout + ran.stderr).toBe(23);
    expect(head(yard)).toBe("files");
    expect((await slipway(yard, ["inbox"])).stdout).toContain(NOT_PROVEN);
  });

  test("B25: leaves no process of its agents, which run as you, also none in a session of its own", { timeout: 90_000 }, async () => {
    const { home } = yard;
    expect(readFileSync(join(home, "daemons"), "utf8").trim().split("\n").length).toBeGreaterThanOrEqual(4);
    await expect.poll(() => processesWith(DAEMON).filter((line) => line.includes(home)), { timeout: 60_000 }).toEqual([]);
  });

  test("B21: the approval says to look closely at a file that a tool executes by itself", { timeout: 180_000 }, async () => {
    expect((await slipway(yard, ["answer", "Q1", "merge_all_the_same", "--comment", "I have read it"])).code).toBe(0);
    const { code, stdout, stderr } = await slipway(yard, ["resume"]);
    expect(code, stdout + stderr).toBe(23);
    expect((await slipway(yard, ["inbox"])).stdout).toMatch(LOOK_CLOSELY);
  });
});

const [SETXATTR, GETXATTR] = process.arch === "arm64" ? [5, 8] : [188, 191];
const ATTRIBUTE = 'my ($path, $name, $value) = ("lib/sum.js", "user.slipway", "planted");';
/** Fails if an attribute or a mode of an earlier gate is there, and sets them. */
const LOOK = `perl -e '${ATTRIBUTE} exit(syscall(${GETXATTR}, $path, $name, my $read = "x" x 99, 99) >= 0)' || exit 1
test -x lib/sum.js && exit 1
test "$(stat -c %a lib)" = 500 && exit 1
perl -e '${ATTRIBUTE} syscall(${SETXATTR}, $path, $name, $value, 7, 0) == 0 or die "not set: $!"' || exit 1
chmod 700 lib/sum.js && chmod 500 lib
`;

describe("a feature that tools of MCP alone drive", () => {
  let site: Site;
  let feature_id: string;
  beforeAll(async () => {
    const gates = PROJECT["slipway/gates.yaml"].replace('name: look, cmd: ["true"]', "name: look, cmd: [sh, look.sh]");
    site = await openSite({ files: { ...PROJECT, "look.sh": LOOK, "slipway/gates.yaml": gates } });
    feature_id = await site.feature({ allowed_areas: ["lib"], files: { create: [], modify: [DECIDING[0]], delete: [] } });
    await site.builder.ok("repo.apply_patch", { feature_id, unified_diff: rewriting(DECIDING[0], SUM, DECIDING[1]) });
  }, 180_000);
  afterAll(() => site.close());

  test("B32: extended attributes and mode bits of one gate are not there in the next", { timeout: 180_000 }, async () => {
    for (let n = 1; n <= 2; n++) {
      await site.builder.ok("gates.run", { feature_id, mode: "fast" });
      expect(site.yard.sql("SELECT id FROM checks WHERE kind = 'mode'")).toHaveLength(n);
    }
  });

  test("fails its gate in the same way, and is not merged", { timeout: 180_000 }, async () => {
    const { builder, orchestrator, yard } = site;
    await builder.ok("gates.run", { feature_id, mode: "fast" });
    const { code, message } = await builder.refused("gates.run", { feature_id, mode: "full" });
    expect([code, message]).toEqual(["verdict_not_proven", expect.stringContaining(NOT_PROVEN)]);
    const moved = async (status: string) => {
      const { version } = await site.state(feature_id);
      const patch = { status, status_reason: "passed" };
      return orchestrator.call("feature.state_patch", { feature_id, expected_version: version, patch });
    };
    expect(await moved("qa")).toMatchObject({ ok: true });
    expect(await moved("ready_to_merge")).toMatchObject({ ok: false, error: { code: "invalid_status_transition" } });
    const merge = { feature_id, commit_message: "Sums", merge_strategy: "squash" };
    expect((await orchestrator.refused("feature.ready_to_merge", merge)).code).toBe("invalid_status_transition");
    expect(head(yard)).toBe("files");
  });
});

describe("that run of forge, when rows of its ledger are changed in the database", () => {
  const forged = () => yards[0] as Yard;

  async function expectNamed(table: string, key: string): Promise<void> {
    const { code, stdout } = await slipway(forged(), ["journal", "verify", "--json"]);
    expect(code, stdout).toBe(3);
    expect((JSON.parse(stdout) as { rows: object[] }).rows).toMatchObject([{ table, key, reason: "changed" }]);
  }

  test("B17: `slipway journal verify` names the row, and the approved change is not merged", { timeout: 180_000 }, async () => {
    const yard = forged();
    yard.sql("DROP TRIGGER anvil_checks_no_update");
    yard.sql("UPDATE anvil_checks SET passed = 0 WHERE id = 13");
    await expectNamed("anvil_checks", "13");
    expect((await slipway(yard, ["approve", FEATURE])).code).toBe(0);
    const { code, stdout, stderr } = await slipway(yard, ["merge", FEATURE]);
    expect(code, stdout + stderr).toBe(23);
    expect(stdout + stderr).toContain("evidence_tampered");
    expect(head(yard)).toBe("files");
    yard.sql("UPDATE anvil_checks SET passed = 1 WHERE id = 13");
  });

  test("B17: a changed row about a deleted feature is named, and no evidence is shown", { timeout: 180_000 }, async () => {
    const yard = forged();
    expect((await slipway(yard, ["delete", FEATURE, "--force"])).code).toBe(0);
    yard.sql("UPDATE deleted_features SET deleted_by = 'nobody'");
    const [{ label } = { label: "" }] = yard.sql("SELECT label FROM deleted_features");
    await expectNamed("deleted_features", String(label));
    expect(await slipway(yard, ["evidence", FEATURE])).toMatchObject({ stdout: "", stderr: expect.stringContaining("evidence_tampered") });
  });
});
