import { expect, test } from "vitest";
import type { ChangeRun } from "../../change/change-run.ts";
import { runChecks, textOfRun } from "./commands.ts";

type Ran = { readonly exit_code: number | null; readonly tests: object | null; readonly output: string };
type Input = { readonly commands: readonly { readonly name: string; readonly command: readonly string[] }[] };

/** A change whose commands end as given; the kernel's own run of commands has its own tests. */
function changeWith(results: (line: string) => Partial<Ran>) {
  const calls: { readonly step: string; readonly names: readonly string[] }[] = [];
  const runCommands = async ({ operationId }: { readonly operationId: string }, { commands }: Input) => {
    calls.push({ step: operationId.slice("run/".length), names: commands.map(({ name }) => name) });
    return { results: commands.map(({ command }) => ({ exit_code: 0, tests: null, output: "", ...results(command[2] ?? "") })) };
  };
  const ctx = { runId: "run", step: async (_: string, work: (signal: AbortSignal) => unknown) => work(new AbortController().signal) };
  return { change: { id: "dates", ctx, services: { kernel: { features: { runCommands } } } } as unknown as ChangeRun, calls };
}

const countsOf = async (results: (line: string) => Partial<Ran>, commands = ["npm test"]) => {
  const { output: _, ...counts } = (await runChecks(changeWith(results).change, "tests-1", commands))?.tests ?? { output: "" };
  return counts;
};
const TESTS = { passed: 7, failed: 0, skipped: 2 };

test.each([
  ["a runner that exits with an error although all its tests passed", { exit_code: 1, tests: TESTS }, { passed: 7, failed: 1, skipped: 2 }],
  ["a runner that was killed", { exit_code: null, tests: TESTS }, { passed: 7, failed: 1, skipped: 2 }],
  ["a runner that says itself how many failed", { exit_code: 1, tests: { ...TESTS, failed: 3 } }, { passed: 7, failed: 3, skipped: 2 }],
  ["a runner that passes", { tests: TESTS }, TESTS],
  ["a command without counts that fails", { exit_code: 2 }, { passed: 0, failed: 1, skipped: 0 }],
  ["a command without counts that passes", {}, { passed: 1, failed: 0, skipped: 0 }],
])("no failure is lost in the counts of the harness: %s", async (_what, ran, counts) => {
  expect(await countsOf(() => ran)).toEqual(counts);
});

test("a command that was killed is told without an exit code", async () => {
  const ran = await runChecks(changeWith(() => ({ exit_code: null, output: "half\n" })).change, "tests-1", ["sleep 9"]);
  expect(ran?.commands).toEqual([{ command: "sleep 9", exitCode: null }]);
  expect(textOfRun(ran!)).toContain("$ sleep 9\nhalf\n(exit code none)");
});

test("of a long output the end stays, where runners say what failed", async () => {
  const ran = await runChecks(changeWith(() => ({ exit_code: 1, output: `${"😀".repeat(20_000)}the last line\n` })).change, "tests-1", [
    "x",
  ]);
  const { output } = ran!.tests;
  expect(output.startsWith("(cut off)\n")).toBe(true);
  expect(output).toContain("the last line\n(exit code 1)");
  expect(output.isWellFormed()).toBe(true);
});

test("more commands than the kernel takes at once are all run, in parts, and each result stays with its command", async () => {
  const commands = Array.from({ length: 201 }, (_, at) => `check ${at}`);
  const { change, calls } = changeWith((line) => ({ exit_code: line === "check 200" ? 1 : 0 }));
  const ran = await runChecks(change, "build-4", commands);
  expect(calls.map(({ step, names }) => [step, names.length])).toEqual([
    ["commands:build-4", 100],
    ["commands:build-4.2", 100],
    ["commands:build-4.3", 1],
  ]);
  expect(ran?.commands.filter(({ exitCode }) => exitCode !== 0)).toEqual([{ command: "check 200", exitCode: 1 }]);
});

test("a command of any text has a name that a person can read on one line", async () => {
  const { change, calls } = changeWith(() => ({}));
  await runChecks(change, "tests-1", ["npm test\n\u001b[2Knpm run lint", "x".repeat(200), ""]);
  expect(calls[0]?.names).toEqual(["npm test [2Knpm run lint", "x".repeat(150), "check"]);
});

test("nothing to run is no result: it does not count as passed", async () => {
  const { change, calls } = changeWith(() => ({}));
  expect([await runChecks(change, "tests-1", []), calls]).toEqual([null, []]);
});
