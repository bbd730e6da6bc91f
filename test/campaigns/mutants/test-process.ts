// Keeps Vitest of one package loaded, runs the test files it is told to, and says what failed. Only the changed source is read again; each
// run has new workers.
import { createVitest, type TestModule } from "vitest/node";
import type { TestOutcome, TestRequest } from "./test-runner.ts";

/** Of the current run. Vitest's own result has the modules of earlier runs as well. */
const ended = new Set<TestModule>();
const vitest = await createVitest("test", {
  watch: false,
  bail: 1,
  coverage: { enabled: false },
  reporters: [{ onTestModuleEnd: (module) => void ended.add(module) }],
});
const all = await vitest.globTestSpecifications();

function failuresOf(module: TestModule): TestOutcome["failures"] {
  const tests = [...module.children.allTests("failed")];
  const ofTests = tests.map((test) => ({ title: test.fullName, why: test.result().errors?.[0]?.message ?? "" }));
  const ofSuites = [...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map(({ message }) => ({ title: suite.fullName, why: message })),
  );
  const ofModule = module.errors().map(({ message }) => ({ title: "the file itself", why: message }));
  return [...ofTests, ...ofSuites, ...ofModule].map((failure) => ({ file: module.moduleId, ...failure }));
}

async function run({ changed, files }: TestRequest): Promise<TestOutcome> {
  if (changed !== null) vitest.invalidateFile(changed);
  const chosen = all.filter(({ moduleId }) => files.includes(moduleId));
  if (chosen.length === 0) return { failures: [], ran: 0 };
  ended.clear();
  const { unhandledErrors } = await vitest.runTestSpecifications(chosen);
  const failures = [...ended].filter((module) => module.state() === "failed").flatMap(failuresOf);
  const unhandled = unhandledErrors.map((error) => ({ file: files[0] ?? "", title: "an error outside tests", why: String(error) }));
  return { failures: [...failures, ...unhandled], ran: chosen.length };
}

process.on("message", (request: TestRequest) => {
  void run(request).then(
    (outcome) => process.send?.(outcome),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on("disconnect", () => process.exit());
process.send?.({ files: all.map(({ moduleId }) => moduleId) });
