import { dirname, join } from "node:path";
import { z } from "zod";
import type { TestSelection } from "../adapter.ts";
import { lastLines } from "../toolchains/compile.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { requireTool } from "../toolchains/require-tool.ts";
import { runTool, TOOL_TIMEOUT_MS, whyStopped, type ToolOutcome } from "../toolchains/run-tool.ts";
import { brokenRun, failedTest, joinRuns, passedTest } from "../toolchains/test-report.ts";
import { plantGo, plantTests, withoutPlanted } from "../toolchains/planted-tests.ts";
import { filesIn, inCopy } from "../toolchains/work-folder.ts";
import type { TestRun } from "../typescript/test-run.ts";
import { GO, goEnvironment, prepareGoProject } from "./project.ts";

const eventSchema = z.object({
  Action: z.string(),
  Test: z.string().optional(),
  Elapsed: z.number().optional(),
  Output: z.string().optional(),
});

/** Builds the tests of each package, and runs them where they cannot reach what the compiler keeps. */
export async function runGoTests(machine: LanguageMachine, sourcePath: string, selection: TestSelection): Promise<TestRun> {
  await requireTool(machine, GO);
  const { files, timeoutMs = TOOL_TIMEOUT_MS, ...run } = selection;
  return inCopy(sourcePath, async (folder) => {
    await prepareGoProject(folder);
    const ends = performance.now() + timeoutMs;
    const left = () => Math.max(1, ends - performance.now());
    const tests = filesIn(folder).filter((path) => path.endsWith("_test.go") && (files === undefined || files.includes(path)));
    const planted = await plantTests(folder, tests, plantGo);
    const runs: TestRun[] = [];
    for (const [index, place] of [...new Set(tests.map((path) => dirname(path)))].entries()) {
      const program = `.slipway-tests/${index}.test`;
      const tool = { ...run, machine, folder, env: goEnvironment(folder, machine) };
      const built = await runTool({ ...tool, timeoutMs: left(), command: ["go", "test", "-c", "-o", program, `./${place}`], keeps: "go" });
      if (built.exitCode !== 0) {
        const reason = whyStopped(built, "the compiler") ?? lastLines(`${built.stdout}\n${built.stderr}`.split("\n"));
        return brokenRun(`the tests of ${place} do not compile: ${reason}`);
      }
      const only =
        files === undefined
          ? []
          : [
              "-test.run",
              await namesIn(
                folder,
                tests.filter((path) => dirname(path) === place),
              ),
            ];
      const outside = { ...tool.env, GOCACHE: "/tmp/go-build", GOPATH: "/tmp/go-path" };
      const command = ["go", "tool", "test2json", "-t", `./${program}`, "-test.v", "-test.paniconexit0", ...only];
      runs.push(goRun(await runTool({ ...tool, env: outside, timeoutMs: left(), command })));
    }
    return withoutPlanted(joinRuns(runs), planted);
  });
}

/** A pattern for the tests that some files declare. */
async function namesIn(folder: string, paths: readonly string[]): Promise<string> {
  const { readFile } = await import("node:fs/promises");
  const texts = await Promise.all(paths.map((path) => readFile(join(folder, path), "utf8")));
  const names = texts.flatMap((text) => [...text.matchAll(/^func ((?:Test|Fuzz|Example)\w*)\(/gm)].map(([, name = ""]) => name));
  return `^(?:${names.join("|")})$`;
}

/** Reads the events of test2json. */
export function goRun(outcome: ToolOutcome): TestRun {
  const events = outcome.stdout.split("\n").flatMap((line) => {
    try {
      return line.startsWith("{") ? (eventSchema.safeParse(JSON.parse(line)).data ?? []) : [];
    } catch {
      return [];
    }
  });
  const outputOf = (name: string) =>
    events
      .filter(({ Test, Action }) => Test === name && Action === "output")
      .map(({ Output = "" }) => Output)
      .join("");
  const started = events.filter(({ Action }) => Action === "run").map(({ Test = "" }) => Test);
  // A test with parts reports them and itself; only the parts count.
  const leaves = started.filter((name) => !started.some((other) => other.startsWith(`${name}/`)));
  const ends = new Map(events.filter(({ Action }) => ["pass", "fail", "skip"].includes(Action)).map((event) => [event.Test ?? "", event]));
  const tests = leaves.flatMap((name) => {
    const end = ends.get(name);
    if (end?.Action === "skip") return [];
    const duration = (end?.Elapsed ?? 0) * 1000;
    if (end?.Action === "pass") return [passedTest(name, duration)];
    const text = outputOf(name);
    const isPanic = /^panic:/m.test(text);
    const message = text.replaceAll(/^\s*(?:=== |--- ).*$/gm, "");
    return [failedTest(name, { name: isPanic ? "panic" : "Failure", message, by: isPanic ? "code" : "check" }, duration)];
  });
  const skipped = leaves.filter((name) => ends.get(name)?.Action === "skip");
  const failed = tests.some(({ result }) => result === "FAIL");
  const overall = ends.get("")?.Action;
  const agrees = overall === (failed ? "fail" : "pass") && (failed || outcome.exitCode === 0);
  const broken = whyStopped(outcome, "the tests") ?? (agrees ? null : `the test program ended early, with ${outcome.exitCode}`);
  return { tests, skipped, broken };
}
