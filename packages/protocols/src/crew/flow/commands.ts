import { mustPerform } from "../../change/perform.ts";
import type { ChangeRun } from "../../change/change-run.ts";
import type { CommandsRun } from "../dispatch/order.ts";
import { CREW_STEPS } from "../steps.ts";

type Ran = Awaited<ReturnType<ChangeRun["services"]["kernel"]["features"]["runCommands"]>>["results"][number];

/** The kernel takes at most so many at once. */
const MOST = 100;

/** Runs commands as the harness, on the recorded files of the change. Null if there is nothing to run. */
export async function runChecks(change: ChangeRun, name: string, commands: readonly string[]): Promise<CommandsRun | null> {
  if (commands.length === 0) return null;
  const { features } = change.services.kernel;
  const parts = Array.from({ length: Math.ceil(commands.length / MOST) }, (_, part) => commands.slice(part * MOST, (part + 1) * MOST));
  const results: Ran[] = [];
  for (const [part, some] of parts.entries()) {
    const input = { feature_id: change.id, commands: some.map((line) => ({ name: nameOf(line), command: ["sh", "-c", line] })) };
    const step = part === 0 ? `commands:${name}` : `commands:${name}.${part + 1}`;
    const ran = await mustPerform(change, step, (call, signal) => features.runCommands(call, input, { signal }), { asksAlways: true });
    results.push(...ran.results);
  }
  return change.ctx.step(CREW_STEPS.counts.named(name), async () => summaryOf(commands, results));
}

const MAX_NAME = 150;
const MAX_OUTPUT = 16_000;

function nameOf(line: string): string {
  return (
    line
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
      .slice(0, MAX_NAME)
      .toWellFormed() || "check"
  );
}

/** Where a command shows no counts of tests, it counts as one test. */
function summaryOf(commands: readonly string[], results: readonly Ran[]): CommandsRun {
  const counts = results.map(({ tests, exit_code }) => {
    const isPassed = exit_code === 0;
    if (tests === null) return { passed: isPassed ? 1 : 0, failed: isPassed ? 0 : 1, skipped: 0 };
    // A runner that fails although every test passed has failed.
    return { passed: tests.passed, failed: isPassed ? tests.failed : Math.max(1, tests.failed), skipped: tests.skipped };
  });
  const sum = (field: "passed" | "failed" | "skipped") => counts.reduce((total, count) => total + count[field], 0);
  const output = results
    .map((ran, index) => `$ ${commands[index] ?? ""}\n${ran.output}(exit code ${ran.exit_code ?? "none"})\n`)
    .join("\n");
  return {
    commands: results.map(({ exit_code }, index) => ({ command: commands[index] ?? "", exitCode: exit_code })),
    tests: {
      passed: sum("passed"),
      failed: sum("failed"),
      skipped: sum("skipped"),
      output: output.length <= MAX_OUTPUT ? output : `(cut off)\n${output.slice(-MAX_OUTPUT).toWellFormed()}`,
    },
  };
}

export function textOfRun({ tests }: CommandsRun): string {
  const { passed, failed, skipped, output } = tests;
  return `passed: ${passed}, failed: ${failed}, skipped: ${skipped} (a command without counts of its own is one test)\n\n${output}`;
}
