import { copyFile, mkdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { kindAt } from "@slipway/kernel/host/sandbox/paths";
import type { TestSelection } from "../adapter.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { requireTool } from "../toolchains/require-tool.ts";
import { runTool, TOOL_TIMEOUT_MS, whyStopped, type ToolOutcome } from "../toolchains/run-tool.ts";
import { brokenRun, failedTest, joinRuns, judged, passedTest } from "../toolchains/test-report.ts";
import { plantRust, plantTests, withoutPlanted } from "../toolchains/planted-tests.ts";
import { filesIn, inCopy } from "../toolchains/work-folder.ts";
import type { TestRun } from "../typescript/test-run.ts";
import { cargoEnvironment, cargoMessages, cargoResult } from "./compile.ts";
import { CARGO, prepareRustProject } from "./project.ts";

/** Tests that failed make the test program end with this code. */
const FAILED = 101;
const PROGRAMS = ".slipway-tests";

/** Builds the test programs, and then runs each of them where it cannot reach what the compiler keeps. */
export async function runRustTests(machine: LanguageMachine, sourcePath: string, selection: TestSelection): Promise<TestRun> {
  await requireTool(machine, CARGO);
  const { files, timeoutMs = TOOL_TIMEOUT_MS, ...run } = selection;
  return inCopy(sourcePath, async (folder) => {
    await prepareRustProject(folder);
    const crates = filesIn(folder).filter((path) => /^tests\/[^/]+\.rs$/.test(path) && (files === undefined || files.includes(path)));
    const planted = await plantTests(folder, crates, plantRust);
    const ends = performance.now() + timeoutMs;
    const command = ["cargo", "test", "--offline", "--no-run", "--message-format=json"];
    const built = await runTool({ ...run, timeoutMs, machine, folder, command, env: cargoEnvironment(folder, machine), keeps: "rust" });
    if (built.exitCode !== 0) {
      const [first] = cargoResult(built).problems;
      return brokenRun(`the tests do not compile: ${first?.file ?? "cargo"}:${first?.line ?? 1}: ${first?.message ?? ""}`);
    }
    // A macro of the project can print lines among cargo's, so only what is in its own folder counts.
    const target = cargoEnvironment(folder, machine).CARGO_TARGET_DIR;
    const programs = testPrograms(built.stdout, files)
      .map((program) => resolve(folder, program))
      .filter((program) => program.startsWith(`${target}/`) && kindAt(program) === "file");
    await mkdir(join(folder, PROGRAMS));
    const runs: TestRun[] = [];
    for (const program of programs) {
      const copy = join(PROGRAMS, basename(program));
      await copyFile(program, join(folder, copy));
      const left = Math.max(1, ends - performance.now());
      runs.push(libtestRun(await runTool({ ...run, timeoutMs: left, machine, folder, command: [`./${copy}`, "--test-threads=1"] })));
    }
    return withoutPlanted(joinRuns(runs), planted);
  });
}

/** The executables of the selected files: `tests/unit.rs` is the target `unit`, and anything in `src` the library or program. */
function testPrograms(messages: string, files: readonly string[] | undefined): string[] {
  const names = files?.map((file) => (file.startsWith("tests/") ? basename(file, ".rs") : null));
  return cargoMessages(messages).flatMap(({ executable, target }) => {
    if (executable == null || target === undefined) return [];
    const isTestFile = target.kind.includes("test");
    const isWanted = names === undefined || names.some((name) => (name === null ? !isTestFile : isTestFile && name === target.name));
    return isWanted ? [executable] : [];
  });
}

/** Reads the output of Rust's own test runner. */
export function libtestRun(outcome: ToolOutcome): TestRun {
  const results = [...outcome.stdout.matchAll(/^test (\S+)(?: - should panic)? \.\.\. (?:[^\n]*\n)??(ok|FAILED|ignored)(?:, .*)?$/gm)];
  const tests = results.flatMap(([, name = "", result]) => {
    if (result === "ignored") return [];
    return result === "ok" ? [passedTest(name)] : [failedTest(name, { name: "panic", message: panicOf(outcome.stdout, name) })];
  });
  const skipped = results.flatMap(([, name = "", result]) => (result === "ignored" ? [name] : []));
  const [, passed, failed] = /^test result: \w+\. (\d+) passed; (\d+) failed;/m.exec(outcome.stdout) ?? [];
  const run = judged({ tests, skipped, broken: null }, outcome, { passed: 0, failed: [FAILED] });
  const agrees = Number(passed) + Number(failed) === tests.length;
  return agrees ? run : { ...run, broken: whyStopped(outcome, "the tests") ?? `the test program ended early, with ${outcome.exitCode}` };
}

function panicOf(output: string, name: string): string {
  const start = output.indexOf(`---- ${name} stdout ----`);
  if (start < 0) return "it failed";
  const [text = ""] = output.slice(output.indexOf("\n", start) + 1).split(/\n(?=\n|---- |test result:|failures:)/, 1);
  return text.replaceAll(/^thread .*panicked at [^\n]*:\n?/gm, "").replaceAll(/^note: .*$/gm, "");
}
