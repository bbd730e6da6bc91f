import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SlipwayError } from "../../../schema/errors.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs, lettersOn } from "../../testing/letters.ts";
import { openScratchKernel, POLICY, type ScratchKernel } from "../../testing/scratch-kernel.ts";
import type { TrialWatch, TrialOptions } from "./trials.ts";

const shared = mkdtempSync(join(tmpdir(), "slipway-trials-"));
const counter = join(shared, "runs");
/** Logs to a file outside every tree that it has run. */
const CHECK = `echo run >> ${counter}\ncat src/a.txt\nif grep -rn BUG src; then exit 1; fi\n`;

let scratch: ScratchKernel;
const open = async (files: Record<string, string> = {}) => {
  scratch = await openScratchKernel({ "check.sh": CHECK, ...files });
};
const reopen = async (files: Record<string, string>) => {
  await scratch.close();
  await open(files);
};
beforeEach(() => open());
afterEach(async () => {
  await scratch.close();
  rmSync(counter, { force: true });
});

const onBase = (wish?: TrialOptions, watch?: TrialWatch) => scratch.kernel.trials.onBase(callAs(), wish, watch);
const runs = () => (existsSync(counter) ? readFileSync(counter, "utf8").split("\n").length - 1 : 0);
const change = (path: string, text: string) => {
  scratch.write(path, text);
  scratch.git("add", "--all", "--", path);
  scratch.git("commit", "--quiet", "--message=change");
};
const gatesOf = (steps: string) => `version: 1\nprofiles: { default: { modes: { fast: [${steps}], full: [${steps}] } } }\n`;

describe("a trial of the base", () => {
  test("modes with the same steps run once, and a valid result is reused", async () => {
    const report = await onBase();
    expect(report).toMatchObject({
      of: "main",
      commit: scratch.git("rev-parse", "main").trim(),
      tree: scratch.git("rev-parse", "main^{tree}").trim(),
      trials: [
        { profile: "default", mode: "fast", status: "pass", remembered: false, failure: null, cause: null, step: null },
        { profile: "default", mode: "full", status: "pass", remembered: true },
      ],
    });
    expect(runs()).toBe(1);
    expect((await onBase()).trials.map(({ remembered }) => remembered)).toEqual([true, true]);
    expect(runs()).toBe(1);
    expect((await onBase({ remembered: false })).trials[0]?.remembered).toBe(false);
    expect(runs()).toBe(2);
    change("src/b.txt", "two\n");
    expect((await onBase({ modes: ["full"] })).trials).toMatchObject([{ mode: "full", remembered: false }]);
    expect(runs()).toBe(3);
  });

  test("uncommitted files of the checkout are not part of it", async () => {
    scratch.write("src/a.txt", "BUG\n");
    scratch.write("src/untracked.txt", "BUG\n");
    expect((await onBase()).trials[0]?.status).toBe("pass");
  });

  test("a red one has its step, the redacted end of its log, and is tried again", async () => {
    const loud = 'echo "$T"; printf "\\033[31mred\\033[0m \\007bell\\n"; echo again >> runs; exit 3';
    const step = `{ name: loud, cmd: [sh, -c, '${loud.replaceAll("'", "''")}'], env: { T: a-very-secret-value } }`;
    await reopen({ "slipway/gates.yaml": gatesOf(step) });
    const { trials } = await onBase();
    expect(trials[0]).toMatchObject({
      status: "fail",
      failure: { code: "gate_failed" },
      step: { name: "loud", exit_code: 3, command: ["sh", "-c", loud] },
      cause: { cause: "The base itself does not pass, without any change by an agent." },
    });
    const tail = trials[0]?.step?.log_tail ?? [];
    expect(tail).toContain("red \uFFFDbell");
    expect(JSON.stringify(trials)).not.toContain("a-very-secret-value");
    expect((await onBase()).trials[0]?.remembered).toBe(false);
  });

  test("reports the last twenty lines of a long log", async () => {
    await reopen({ "check.sh": "seq 1 100; exit 1\n" });
    const tail = (await onBase()).trials[0]?.step?.log_tail;
    expect([tail?.length, tail?.[0], tail?.at(-2)]).toEqual([20, "82", "100"]);
  });

  test("low coverage on the base is not red, because the change may raise it", async () => {
    const lcov = "SF:a\\nDA:1,1\\nDA:2,0\\nend_of_record\\n";
    const parsers = "parsers: { coverage: { type: lcov, path: lcov.info } }\nthresholds: { coverage_line_min: 0.9 }\n";
    await reopen({ "slipway/gates.yaml": gatesOf(`{ name: test, cmd: [sh, -c, "printf '${lcov}' > lcov.info"] }`) + parsers });
    const [trial] = (await onBase()).trials;
    expect(trial).toMatchObject({ status: "warn", cause: null, coverage: { line: 0.5 }, failure: { code: "coverage_below_minimum" } });
    expect((await onBase()).trials[0]).toMatchObject({ status: "warn", remembered: true });
  });

  test("every profile is tried if none is the default, or only the requested ones", async () => {
    const modes = "{ modes: { fast: [{ name: a, cmd: [sh, check.sh] }], full: [{ name: b, cmd: [sh, check.sh] }] } }";
    await reopen({ "slipway/gates.yaml": `version: 1\nprofiles:\n  web: ${modes}\n  api: ${modes}\n` });
    expect((await onBase({ modes: ["fast"] })).trials.map(({ profile }) => profile)).toEqual(["web", "api"]);
    expect((await onBase({ profiles: ["api"] })).trials.map(({ profile, mode }) => `${profile}/${mode}`)).toEqual(["api/fast", "api/full"]);
  });

  test("a gate that cannot be tried is red, with a next action", async () => {
    const [unknown] = (await onBase({ modes: ["slow"] })).trials;
    expect(unknown).toMatchObject({ status: "fail", failure: { code: "unknown_gate_profile_or_mode" }, step: null });
    expect(unknown?.cause?.next).toContain("slipway/gates.yaml");
    scratch.breakSandbox(new SlipwayError("sandbox_unavailable", "bwrap is missing"));
    expect((await onBase()).trials).toMatchObject([{ status: "fail", cause: { cause: "bwrap is missing" } }, { status: "fail" }]);
    expect(runs()).toBe(0);
  });

  test.each([
    ["a bug", new Error("a bug")],
    ["a busy machine", new SlipwayError("sandbox_unavailable", "busy", { retryable: true })],
    ["a lost lease", new SlipwayError("lease_lost", "another process has it")],
  ])("%s is no result of the gate and is thrown", async (_what, error) => {
    scratch.breakSandbox(error);
    await expect(onBase()).rejects.toBe(error);
  });

  test("an agent may not try gates, and gets a permission error instead of a red gate", async () => {
    await expect(scratch.kernel.trials.onBase(callAs("builder"))).rejects.toMatchObject({ code: "forbidden_tool_for_role" });
    expect(runs()).toBe(0);
  });

  test("stopping it ends the step and leaves no result and no folder", async () => {
    await reopen({ "check.sh": "echo started; sleep 60\n" });
    const stop = new AbortController();
    const seen: string[] = [];
    const watch: TrialWatch = {
      signal: stop.signal,
      onStep({ mode }, { kind }) {
        seen.push(`${mode} ${kind}`);
        if (kind === "output") stop.abort();
      },
    };
    await expect(onBase({}, watch)).rejects.toMatchObject({ code: "run_stopped" });
    expect(seen.slice(0, 2)).toEqual(["fast started", "fast output"]);
    expect(await scratch.records.database.db.selectFrom("trials").selectAll().execute()).toEqual([]);
    expect(readdirSync(join(scratch.root, "../state/slipway/trials"))).toEqual([]);
  });

  test("folders of a killed process are removed after a day, not before", async () => {
    const folder = join(scratch.root, "../state/slipway/trials");
    for (const name of ["old", "new"]) mkdirSync(join(folder, name, "tree"), { recursive: true });
    utimesSync(join(folder, "old"), 1_000, 1_000);
    await onBase();
    expect(readdirSync(folder)).toEqual(["new"]);
  });

  test("without the base branch nothing can be tried", async () => {
    await reopen({ "slipway/policy.yaml": POLICY.replace("base_branch: main", "base_branch: trunk") });
    await expect(onBase()).rejects.toMatchObject({ code: "config_invalid", message: "There is no branch trunk." });
  });
});

describe("the likely cause", () => {
  const missing = { "check.sh": "echo \"Cannot find package 'zod'\"; exit 1\n" };
  const cause = async () => (await onBase({ modes: ["fast"] })).trials[0]?.cause;

  test("names package folders that the checkout has and gates do not see", async () => {
    await reopen({ ...missing, "apps/web/index.js": "\n", "packages/README.md": "\n" });
    scratch.write("node_modules/zod/index.js", "");
    scratch.write("apps/web/node_modules/zod/index.js", "");
    expect((await cause())?.next).toBe("Add node_modules, apps/web/node_modules to sandbox.shared_paths in slipway/policy.yaml.");
  });

  test("does not name folders that are already shared", async () => {
    await reopen({ ...missing, "slipway/policy.yaml": `${POLICY}sandbox: { shared_paths: [node_modules] }\n` });
    scratch.write("node_modules/other/index.js", "");
    expect((await cause())?.next).toBe("Install the packages in your checkout.");
  });

  test("is an empty submodule if the log mentions one", async () => {
    await reopen({ "check.sh": "ls vendor/lib/x.c\n" });
    const commit = scratch.git("rev-parse", "HEAD").trim();
    scratch.git("update-index", "--add", "--cacheinfo", `160000,${commit},vendor/lib`);
    scratch.git("commit", "--quiet", "--message=submodule");
    expect((await cause())?.cause).toContain("submodule (vendor/lib) is empty");
  });
});

describe("a trial of another tree", () => {
  test("of the checkout sees every file, and leaves index and files unchanged", async () => {
    scratch.write("src/untracked.txt", "BUG\n");
    scratch.write("staged.txt", "x\n");
    scratch.git("add", "staged.txt");
    const status = () => scratch.git("status", "--porcelain", "--", ".", ":!.slipway");
    const before = status();
    const { gates } = scratch.kernel.configuration;
    const report = await scratch.kernel.trials.onCheckout(callAs(), gates, { modes: ["fast"] });
    expect(report).toMatchObject({ of: "your checkout", commit: null, trials: [{ status: "fail" }] });
    expect(report.trials[0]?.step?.log_tail).toContain("src/untracked.txt:1:BUG");
    expect(scratch.git("ls-tree", "-r", "--name-only", report.tree)).not.toContain(".slipway");
    expect(status()).toBe(before);
  });

  test("of a feature uses its recorded tree and its own profile", async () => {
    const feature = lettersOn(scratch);
    await feature.built();
    const report = await scratch.kernel.trials.onFeature(callAs(), "letters", { modes: ["fast"] });
    expect(report).toMatchObject({
      of: "letters",
      commit: null,
      tree: (await feature.row()).tree,
      trials: [{ profile: "default", status: "pass" }],
    });
    await expect(scratch.kernel.trials.onFeature(callAs(), "nobody")).rejects.toThrow("nobody");
  });
});
