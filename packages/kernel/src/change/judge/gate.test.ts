import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, replaceLine, type ScratchKernel } from "../testing/scratch-kernel.ts";

const GATES = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: check, cmd: [sh, check.sh] }, { name: later, cmd: ["true"] }]
      full: [{ name: check, cmd: [sh, check.sh] }]
  easy:
    modes:
      fast: [{ name: nothing, cmd: ["true"] }]
      full: [{ name: nothing, cmd: ["true"] }]
`;

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
const open = async (files: Record<string, string> = {}) => {
  scratch = await openScratchKernel({ "slipway/gates.yaml": GATES, ...files });
  feature = lettersOn(scratch);
};
const reopen = async (files: Record<string, string>) => {
  await scratch.close();
  await open(files);
};
beforeEach(() => open());
afterEach(() => scratch.close());

const patch = (unified_diff: string) => scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff });
const gates = (mode: string, profile?: string) =>
  scratch.kernel.features.runGates(callAs(), { ...LETTERS, mode, ...(profile === undefined ? {} : { profile }) });
const become = (to: "qa" | "ready_to_merge") => scratch.kernel.features.changeStatus(callAs(), { ...LETTERS, to, reason: "because" });
const results = async () => JSON.parse((await feature.row()).gates) as Record<string, string>;
const runs = () => scratch.records.database.db.selectFrom("gate_runs").selectAll().orderBy("at").execute();

/** Running or sleeping, not a zombie. */
function isAlive(pid: number): boolean {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) && !/\) [ZX] /.test(readFileSync(file, "utf8"));
}

describe("a gate run", () => {
  test("[FEA-125] building → qa → ready_to_merge only with the kernel's own records of passed gates on the current tree", async () => {
    await feature.planned();
    await expect(become("qa")).rejects.toMatchObject({ code: "invalid_status_transition" });
    await gates("fast");
    await patch(replaceLine("src/a.txt", "one", "two"));
    await expect(become("qa")).rejects.toThrow("fast gates have not passed on the current tree");
    await gates("fast");
    await become("qa");
    await expect(become("ready_to_merge")).rejects.toThrow("full gates have not passed on the current tree");
    await gates("full");
    expect((await become("ready_to_merge")).status).toBe("ready_to_merge");
  });

  test("[FEA-094] a pass and a failure both record logs, step results, the mode's result and their paths", async () => {
    await feature.planned();
    const passed = await gates("fast");
    expect(await results()).toEqual({ plan: "pass", fast: "pass", "fast:check": "pass", "fast:later": "pass" });
    await patch(replaceLine("src/a.txt", "one", "BUG"));
    const { tree } = await feature.row();
    const failed = await gates("fast");
    expect(failed).toMatchObject({ passed: false, tree, profile: "default", failure: { code: "gate_failed" } });
    expect(failed.steps).toMatchObject([
      { name: "check", status: "fail", exit_code: 1, command: ["sh", "check.sh"] },
      { name: "later", status: "skipped", exit_code: null, log_digest: null },
    ]);
    expect(await results()).toEqual({ plan: "pass", fast: "fail", "fast:check": "fail", "fast:later": "na" });
    const [log] = failed.steps;
    expect(log?.log_path.startsWith(join(scratch.root, ".slipway/features/letters/logs/"))).toBe(true);
    expect(readFileSync(log?.log_path ?? "", "utf8")).toContain("src/a.txt:1:BUG");
    expect(await scratch.kernel.features.lastFailedLog("letters")).toContain("src/a.txt:1:BUG");
    const { state } = await scratch.kernel.features.getState("letters");
    expect(state.evidence).toEqual({ last_gate_id: failed.id, artifacts: [log?.log_path] });
    expect((await runs()).map(({ id, status }) => [id, status])).toEqual([
      [passed.id, "pass"],
      [failed.id, "fail"],
    ]);
    // The feature's status does not change, and files that the gate wrote do not become part of it.
    expect(await feature.row()).toMatchObject({ status: "building", tree });
    expect(existsSync(join(scratch.root, ".worktrees/letters/leftover.txt"))).toBe(false);
  });

  test.each([
    ["mode", "slow", undefined],
    ["mode that the profile lacks", "merge", undefined],
    ["profile", "fast", "nightly"],
  ])("[FEA-095] an unknown %s is refused before anything starts", async (_what, mode, profile) => {
    await feature.planned();
    const before = await feature.row();
    scratch.breakSandbox(new Error("something was started"));
    await expect(gates(mode, profile)).rejects.toMatchObject({
      code: "unknown_gate_profile_or_mode",
      details: { available: { easy: ["fast", "full"] } },
    });
    expect(await feature.row()).toEqual(before);
    expect(readdirSync(join(scratch.root, ".slipway/features/letters/logs"))).toEqual([]);
  });

  test("a pass under another profile than the plan's is recorded as such, and does not count", async () => {
    await feature.planned();
    await patch(replaceLine("src/a.txt", "one", "BUG"));
    for (const mode of ["fast", "full"]) expect(await gates(mode, "easy")).toMatchObject({ passed: true, profile: "easy" });
    expect(await results()).toMatchObject({ "easy/fast": "pass", "easy/full": "pass" });
    expect(await results()).not.toHaveProperty("fast");
    await expect(become("qa")).rejects.toMatchObject({ code: "invalid_status_transition" });
    await gates("fast");
    await gates("fast", "easy");
    await expect(become("qa")).rejects.toMatchObject({ code: "invalid_status_transition" });
  });

  test("[FEA-147] a plan narrows the steps of its own profile only", async () => {
    const step = { name: "check", cmd: ["sh", "check.sh", "--only-this"] };
    await feature.planned({ verification_overrides: { modes: { fast: { steps: [step] } } } });
    expect((await gates("fast")).steps[0]?.command).toEqual(step.cmd);
    expect((await gates("fast", "easy")).steps[0]?.command).toEqual(["true"]);
  });

  test("[FEA-143] a missed coverage minimum fails the gate and is a result of its own", async () => {
    const lcov = "SF:a\\nDA:1,1\\nDA:2,0\\nBRDA:1,0,0,1\\nend_of_record\\n";
    await reopen({
      "slipway/gates.yaml": `version: 1
profiles: { default: { modes: {
  fast: [{ name: test, cmd: [sh, -c, "printf '${lcov}' > lcov.info"] }],
  full: [{ name: test, cmd: ["true"] }] } } }
parsers: { coverage: { type: lcov, path: lcov.info, modes: [fast] } }
thresholds: { coverage_line_min: 0.9, coverage_branch_min: 0.5 }
`,
    });
    await feature.planned();
    expect(await gates("fast")).toMatchObject({
      passed: false,
      failure: { code: "coverage_below_minimum", details: { measured: { line: 0.5 }, required: { line: 0.9 } } },
    });
    expect(await results()).toMatchObject({ fast: "fail", "fast:test": "pass", coverage_line: "fail", coverage_branch: "pass" });
  });

  test("[FEA-140] a secret that a gate prints is nowhere under .slipway", async () => {
    await reopen({ "check.sh": "echo token: a-very-secret-value; echo a-very-secret-value >&2; exit 3\n" });
    await feature.planned();
    const failed = await gates("fast");
    expect(JSON.stringify(failed)).not.toContain("a-very-secret-value");
    await scratch.records.database.sqlite.exclusive((database) => void database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    const state = join(scratch.root, ".slipway");
    const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect(readFileSync(join(file.parentPath, file.name)).includes("a-very-secret-value"), file.name).toBe(false);
  });

  test("[FEA-005] no outcome of a gate makes a commit on the base or moves a branch", async () => {
    await feature.planned();
    const heads = scratch.git("for-each-ref", "refs/heads");
    await gates("fast");
    await patch(replaceLine("src/a.txt", "one", "BUG"));
    await gates("full");
    expect(scratch.git("for-each-ref", "refs/heads")).toBe(heads);
  });
});

describe("a gate that is stopped", () => {
  test("has neither passed nor failed: every process is dead, and the stop is recorded", async () => {
    await reopen({ "check.sh": "sleep 300 & echo $! > pids\nsleep 300 & echo $! >> pids\necho $$ >> pids\nwait\n" });
    await feature.planned();
    const before = await feature.row();
    const stop = new AbortController();
    const pids = join(scratch.root, ".worktrees/letters/pids");
    const call = callAs();
    const running = scratch.kernel.features.runGates(call, { ...LETTERS, mode: "fast" }, stop.signal);
    const outcome = expect(running).rejects.toMatchObject({ code: "run_stopped" });
    await expect.poll(() => (existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n").length : 0), { timeout: 10_000 }).toBe(3);
    const started = readFileSync(pids, "utf8").trim().split("\n").map(Number);
    stop.abort();
    await outcome;
    expect(started.filter(isAlive)).toEqual([]);
    expect((await feature.row()).gates).toBe(before.gates);
    expect(await runs()).toMatchObject([{ status: "cancelled", mode: "fast", profile: "default", tree: before.tree }]);
    expect(await scratch.kernel.features.latestEvidence("letters")).toEqual({ gate: null, log: null });
    expect(await scratch.records.database.db.selectFrom("checks").selectAll().execute()).toEqual([]);
    // Repeating the call runs the gate.
    scratch.write(".worktrees/letters/check.sh", "");
    await expect(scratch.kernel.features.runGates(call, { ...LETTERS, mode: "fast" }, AbortSignal.abort())).rejects.toMatchObject({
      code: "run_stopped",
    });
    expect((await runs()).map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
  });
});

describe("evidence.latest", () => {
  test("[FEA-096] returns the last run with steps, exit codes and logs, and the end of the decisive log", async () => {
    await feature.planned();
    expect(await scratch.kernel.features.latestEvidence("letters")).toEqual({ gate: null, log: null });
    await gates("full");
    expect(await scratch.kernel.features.latestEvidence("letters")).toMatchObject({
      gate: { mode: "full", profile: "default", passed: true, current: true, failure: null, steps: [{ name: "check", exit_code: 0 }] },
      log: { step: "check", tail: "" },
    });
    await patch(replaceLine("src/a.txt", "one", "BUG"));
    const { id } = await gates("fast");
    const seen = await scratch.kernel.features.latestEvidence("letters");
    expect(seen).toMatchObject({
      gate: {
        gate_id: id,
        mode: "fast",
        passed: false,
        failure: { code: "gate_failed" },
        steps: [{ exit_code: 1 }, { status: "skipped" }],
      },
      log: { step: "check", tail: expect.stringContaining("src/a.txt:1:BUG") },
    });
    expect(readFileSync(seen.log?.path ?? "", "utf8").endsWith(seen.log?.tail ?? "-")).toBe(true);
    await patch(replaceLine("src/a.txt", "BUG", "two"));
    expect((await scratch.kernel.features.latestEvidence("letters")).gate?.current).toBe(false);
  });
});

test("a tracked file is never passed to a later step, also with a submodule in the tree", async () => {
  const gatesYaml = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: forge, cmd: [sh, -c, "echo forged > src/a.txt"], produces: [src/a.txt] }, { name: check, cmd: [sh, check.sh] }]
      full: [{ name: check, cmd: [sh, check.sh] }]
`;
  await reopen({ "slipway/gates.yaml": gatesYaml });
  scratch.git("update-index", "--add", "--cacheinfo", `160000,${scratch.git("rev-parse", "HEAD").trim()},lib`);
  scratch.git("commit", "-qm", "submodule");
  await feature.planned();
  expect(await gates("fast")).toMatchObject({ passed: false, failure: { code: "config_invalid" }, steps: [{}, { status: "skipped" }] });
});
