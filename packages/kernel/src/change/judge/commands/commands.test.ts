import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { openSandbox } from "../../../host/sandbox/sandbox.ts";
import { sandboxWorksHere } from "../../../host/sandbox/testing/scratch.ts";
import { untilBegun } from "../../../host/sandbox/testing/until-begun.ts";
import { callAs, LETTERS, lettersOn } from "../../testing/letters.ts";
import { openScratchKernel, POLICY, type ScratchKernel } from "../../testing/scratch-kernel.ts";
import { checksOf, harnessChecks, modePassed } from "../evidence/checks.ts";
import type { CommandsInput } from "./input.ts";
import type { CommandsWatch } from "./run-commands.ts";

let scratch: ScratchKernel;
let feature: ReturnType<typeof lettersOn>;
afterEach(() => scratch.close());

const open = async (files: Record<string, string> = {}, options: Parameters<typeof openScratchKernel>[1] = {}) => {
  scratch = await openScratchKernel(files, options);
  feature = lettersOn(scratch);
  await feature.built();
};
const sh = (script: string, more: Partial<CommandsInput["commands"][number]> = {}) => ({
  name: "it",
  command: ["sh", "-c", script],
  ...more,
});
const run = (commands: CommandsInput["commands"], more: Partial<CommandsInput> = {}, watch?: CommandsWatch, call = callAs()) =>
  scratch.kernel.features.runCommands(call, { ...LETTERS, commands, ...more }, watch);
const rows = () => checksOf(scratch.records.database.db, LETTERS);

describe.each([
  ["with a layer for each command", true],
  ["without a sandbox", false],
])("commands, %s", (_how, layers) => {
  test.skipIf(layers && !sandboxWorksHere())("run on exactly the tree, each on its own, and leave the worktree alone", async () => {
    await open({}, layers ? { sandbox: await openSandbox() } : {});
    scratch.write(".worktrees/letters/src/a.txt", "an unrecorded edit\n");
    const { tree, results } = await run([
      sh("cat src/a.txt; echo changed > src/a.txt; echo new > src/left.txt"),
      sh("cat src/a.txt; ls src", { name: "second", files: { "src/extra.txt": "x\n" } }),
      sh("ls; cat deep/*", { name: "third", cwd: "src", files: { "src/deep/ünï code.txt": "y\n" } }),
    ]);
    const row = await feature.row();
    expect(tree).toBe(row.tree);
    expect(results.map(({ output }) => output)).toEqual(["two\n", "two\na.txt\nb.txt\nextra.txt\n", "a.txt\nb.txt\ndeep\ny\n"]);
    expect(results.map(({ status, exit_code }) => [status, exit_code])).toEqual([0, 0, 0].map((code) => ["pass", code]));
    expect(feature.file("src/a.txt")).toBe("an unrecorded edit\n");
    expect(readdirSync(join(scratch.root, ".worktrees/letters/src")).toSorted()).toEqual(["a.txt", "b.txt"]);
    expect(readdirSync(join(scratch.root, "../state/slipway/trials"))).toEqual([]);
  });
});

describe("commands", () => {
  test("run on the tree of the base on request", async () => {
    await open();
    const { tree, results } = await run([sh("cat src/a.txt")], { tree: "base" });
    expect(tree).toBe(scratch.git("rev-parse", "main^{tree}").trim());
    expect(results[0]?.output).toBe("one\n");
  });

  test("have one row each, with what the harness saw, which is no result of a gate", async () => {
    await open();
    const pytest = "==== 1 failed, 2 passed in 0.10s ====";
    const call = callAs();
    const { tree, sandbox, results } = await run(
      [sh("echo fine", { name: "full" }), sh(`echo "${pytest}"; exit 1`, { name: "fast" })],
      {},
      {},
      call,
    );
    const [fine, failed] = results;
    expect(sandbox).toBe("none");
    expect(results.map(({ check_id }) => check_id)).toEqual([`${call.operationId}#command-1`, `${call.operationId}#command-2`]);
    expect(failed).toMatchObject({ status: "fail", exit_code: 1, timed_out: false, tests: { total: 3, passed: 2, failed: 1, skipped: 0 } });
    expect(
      await scratch.kernel.features.checkRows([failed?.check_id ?? "", "missing", fine?.check_id ?? "", fine?.check_id ?? ""]),
    ).toEqual([
      {
        id: failed?.check_id,
        feature_id: "letters",
        name: "fast",
        kind: "command",
        tree,
        status: "fail",
        exit_code: 1,
        counts: { tests: { total: 3, passed: 2, failed: 1, skipped: 0 } },
        log_digest: failed?.log_digest,
        at: expect.any(Number),
      },
      expect.objectContaining({ id: fine?.check_id, status: "pass", exit_code: 0, counts: null }),
    ]);
    const log = Buffer.from(await scratch.records.objects.get(failed?.log_digest ?? "")).toString("utf8");
    expect(log).toContain(pytest);
    const { db } = scratch.records.database;
    for (const mode of ["fast", "full"]) expect(await modePassed(db, { feature_id: "letters", mode, tree })).toBe(false);
    expect(JSON.parse((await feature.row()).gates)).not.toHaveProperty("full");
    expect(await scratch.kernel.features.lastFailedLog("letters")).toBeNull();
    const seen = await db.transaction().execute((tx) => harnessChecks(tx, [fine?.check_id ?? ""]));
    expect(seen).toMatchObject([{ name: "full", tree }]);
    expect(await harnessChecks(db, [])).toEqual([]);
  });

  test("are recorded once: a repeat has the same answer and runs nothing", async () => {
    await open();
    const call = callAs();
    const counter = join(scratch.root, "runs");
    const commands = [sh(`echo run >> ${counter}`)];
    const first = await run(commands, {}, {}, call);
    expect(await run(commands, {}, {}, call)).toEqual(first);
    expect(scratch.read("runs")).toBe("run\n");
    expect((await rows()).filter(({ kind }) => kind === "command")).toHaveLength(1);
    await expect(run([sh("true")], {}, {}, call)).rejects.toMatchObject({ code: "operation_conflict" });
  });

  test("after a failure are skipped on request, and then have no row", async () => {
    await open();
    const commands = [sh("exit 3"), sh("echo never", { name: "after" })];
    const { results } = await run(commands, { stop_at_failure: true });
    expect(results.map(({ status, exit_code, check_id }) => [status, exit_code, check_id === null])).toEqual([
      ["fail", 3, false],
      ["skipped", null, true],
    ]);
    expect((await rows()).map(({ name }) => name)).not.toContain("after");
    expect((await run(commands)).results[1]).toMatchObject({ status: "pass", output: "never\n" });
  });

  test("that cannot start fail with words that say why", async () => {
    await open();
    const { results } = await run([{ name: "gone", command: ["no-such-program-here"] }, sh("true", { name: "lost", cwd: "nowhere" })]);
    expect(results).toMatchObject([
      { status: "fail", exit_code: null, output: expect.stringContaining('The command "gone" cannot start "no-such-program-here"') },
      {
        status: "fail",
        exit_code: null,
        output: expect.stringContaining('The command "lost" cannot start: its cwd "nowhere" is not a folder'),
      },
    ]);
  });

  test("that do not end in time are stopped, and fail", async () => {
    await open();
    const hang = async (limitMs: number) => (await run([sh("echo started; sleep 60", { timeout_seconds: limitMs / 1000 })])).results[0];
    const hung = await untilBegun(hang, (result) => result?.output.includes("started") === true);
    expect(hung).toMatchObject({ status: "fail", exit_code: null, timed_out: true });
    expect(hung?.output).toContain("started");
  });

  test("have the policy's environment, and nothing secret in output, rows and log", async () => {
    await open(
      { "slipway/policy.yaml": `${POLICY}execution: { env_allowlist: [PATH, SHOWN, API_TOKEN] }\n` },
      { env: { SHOWN: "yes", HIDDEN: "no" } },
    );
    const seen: string[] = [];
    const { results } = await run(
      [sh('echo "$SHOWN/$HIDDEN/$API_TOKEN"; printf "\\033[31mred\\033[0m\\n"')],
      {},
      { onOutput: (name, text) => seen.push(`${name}: ${text}`) },
    );
    expect(results[0]?.output).toBe("yes//[redacted]\nred\n");
    const log = Buffer.from(await scratch.records.objects.get(results[0]?.log_digest ?? "")).toString("utf8");
    expect(`${log}${seen.join("")}${JSON.stringify(results)}`).not.toContain("a-very-secret-value");
    expect(seen.join("")).toContain("it: yes//");
  });

  test("report the last 64 KiB, beginning with a whole character", async () => {
    await open();
    const { results } = await run([sh("i=0; while [ $i -lt 3000 ]; do echo 'ääääääääääääääääääää'; i=$((i+1)); done; printf end")]);
    const output = results[0]?.output ?? "";
    expect(Buffer.byteLength(output)).toBeGreaterThan(65_500);
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(65_536);
    expect(output).not.toContain("\uFFFD");
    expect(output.endsWith("end\n")).toBe(true);
  });

  test("that are stopped leave no row and no folder", async () => {
    await open();
    const stop = new AbortController();
    await expect(run([sh("echo started; sleep 60")], {}, { signal: stop.signal, onOutput: () => stop.abort() })).rejects.toMatchObject({
      code: "run_stopped",
    });
    expect((await rows()).filter(({ kind }) => kind === "command")).toEqual([]);
    expect(readdirSync(join(scratch.root, "../state/slipway/trials"))).toEqual([]);
  });

  test("a sandbox that does not work is an error, not a failed command", async () => {
    await open();
    scratch.breakSandbox(new Error("no sandbox"));
    await expect(run([sh("true")])).rejects.toThrow("no sandbox");
    expect((await rows()).filter(({ kind }) => kind === "command")).toEqual([]);
  });

  test("a transient failure of the machine is an error, not a failed command", async () => {
    const busy = { code: "EAGAIN", message: "busy", transient: true } as const;
    const outcome = { exitCode: null, signal: null, timedOut: false, aborted: false, limit: null, durationMs: 0, spawnError: busy };
    await open({}, { sandbox: { kind: "bubblewrap", run: async () => outcome } });
    await expect(run([sh("true")])).rejects.toMatchObject({ code: "transient_exec_failure" });
    expect((await rows()).filter(({ kind }) => kind === "command")).toEqual([]);
  });

  test("may not be run by an agent", async () => {
    await open();
    await expect(run([sh("true")], {}, {}, callAs("builder"))).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
  });
});

describe("a throwaway file", () => {
  test.each([
    ["../out.txt", "path_out_of_bounds"],
    ["/tmp/out.txt", "path_out_of_bounds"],
    ["src/../../out.txt", "path_out_of_bounds"],
    ["src//x.txt", "path_out_of_bounds"],
    [".git/config", "path_out_of_bounds"],
    ["sub/.GIT/hooks/x", "path_out_of_bounds"],
    [".slipway/x", "path_out_of_bounds"],
    ["src/a.txt", "policy_violation"],
    ["SRC/A.txt", "policy_violation"],
    ["src", "policy_violation"],
    ["src/a.txt/x", "policy_violation"],
    ["vendor/lib/x", "policy_violation"],
  ])("at %s is refused before anything runs", async (path, code) => {
    await open({ "slipway/policy.yaml": `${POLICY}sandbox: { shared_paths: [vendor] }\n` });
    scratch.write("vendor/readme", "x");
    const marker = join(scratch.root, "ran");
    const commands = [sh(`touch ${marker}`), sh("true", { files: { "src/fine.txt": "x", [path]: "x" } })];
    await expect(run(commands)).rejects.toMatchObject({ code });
    expect(existsSync(marker)).toBe(false);
    expect(existsSync(join(scratch.root, "../state/slipway/out.txt"))).toBe(false);
  });
});

test.each([
  ["no command", []],
  ["an empty argv", [{ name: "it", command: [] }]],
  ["a program without a name", [{ name: "it", command: [""] }]],
  ["a NUL", [{ name: "it", command: ["sh", "a\0b"] }]],
  ["a name of two lines", [{ name: "it\nit", command: ["true"] }]],
  ["an unknown field", [{ name: "it", command: ["true"], network: true }]],
])("%s is not a valid input", async (_what, commands) => {
  await open();
  await expect(run(commands)).rejects.toMatchObject({ code: "schema_validation_failed" });
});
