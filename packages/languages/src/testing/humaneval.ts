import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import { z } from "zod";
import type { CompileOracle, CompileResult, LanguageAdapter, SourceTree } from "../adapter.ts";
import { filesIn, inCopy, putFiles } from "../toolchains/work-folder.ts";
import { PROJECTS, type HumanEvalProject } from "./humaneval-projects.ts";

const taskSchema = z.object({
  task_id: z.string(),
  declaration: z.string(),
  canonical_solution: z.string(),
  buggy_solution: z.string(),
  test: z.string(),
  prompt: z.string().default(""),
  entry_point: z.string(),
  import: z.string().optional(),
  test_setup: z.string().optional(),
});
export type HumanEvalTask = z.infer<typeof taskSchema>;

export function readTasks(file: string): HumanEvalTask[] {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => taskSchema.parse(JSON.parse(line)));
}

export interface HumanEvalResult {
  readonly task: string;
  /** The canonical body. */
  readonly compiles: boolean;
  readonly passes: boolean;
  readonly isDiscarded: boolean;
  /** What was not as it should be; empty for a task as expected. */
  readonly exceptions: readonly string[];
  readonly notes: readonly string[];
  /** Failing tests come first: a body that a type checker rejects is tested as well where the language runs it. */
  readonly rejectedBy: "tests" | "broken" | "compiler" | "injection" | null;
}

interface Run {
  readonly sandbox: Sandbox;
  readonly timeoutMs: number;
}

/** The canonical body must compile and pass, and the buggy one must be rejected; a discarded body leaves every byte as it was. */
export async function runTask(
  adapter: LanguageAdapter,
  sandbox: Sandbox,
  task: HumanEvalTask,
  timeoutMs = 60_000,
): Promise<HumanEvalResult> {
  const exceptions: string[] = [];
  const notes: string[] = [];
  const run = { sandbox, timeoutMs };
  const project = PROJECTS[adapter.id](task);
  const oracle = await adapter.openOracle(project.tree, run);
  try {
    return await inCopy(project.tree, async (folder) => {
      const { fill, isHole } = readHole(adapter, project);
      if (!isHole) exceptions.push(`${project.name} is no hole`);
      const hole = problemIn(seriousOf(adapter, await oracle.check()));
      if (hole !== null) exceptions.push(`the hole does not compile: ${hole}`);
      const bodies = { oracle, tests: project.tests, path: project.path, folder, run };
      const canonical = await tryBody(adapter, () => fill(task.canonical_solution), bodies);
      if (canonical.injection !== null) exceptions.push(`the canonical body is not injected: ${canonical.injection}`);
      if (canonical.compile !== null) exceptions.push(`the canonical body does not compile: ${canonical.compile}`);
      if (canonical.tolerated !== null) notes.push(`the canonical body compiles only without noImplicitAny: ${canonical.tolerated}`);
      if (canonical.verdict !== null) exceptions.push(`the canonical body fails: ${canonical.verdict.by}: ${canonical.verdict.message}`);
      const buggy = await tryBody(adapter, () => fill(task.buggy_solution), bodies);
      const rejectedBy = rejection(buggy);
      if (rejectedBy !== "tests")
        notes.push(`the buggy body: ${rejectedBy ?? "passes"}: ${buggy.injection ?? buggy.compile ?? buggy.verdict?.message ?? ""}`);
      if (rejectedBy === null) exceptions.push("the buggy body passes");
      const isDiscarded = isUnchanged(folder, project.tree) && problemIn(seriousOf(adapter, await oracle.check())) === hole;
      if (!isDiscarded) exceptions.push("a discarded body left something behind");
      const compiles = canonical.injection === null && canonical.compile === null;
      const passes = canonical.injection === null && canonical.verdict === null;
      return { task: task.task_id, compiles, passes, isDiscarded, exceptions, notes, rejectedBy };
    });
  } catch (error) {
    exceptions.push(error instanceof Error ? error.message : String(error));
    return { task: task.task_id, compiles: false, passes: false, isDiscarded: false, exceptions, notes, rejectedBy: null };
  } finally {
    await oracle.close();
  }
}

/** Throws if anything but the body is changed. */
function readHole(adapter: LanguageAdapter, { tree, path, name, bodyOf }: HumanEvalProject) {
  const text = tree[path] ?? "";
  const ast = adapter.parseAst(text);
  // Some entry points are not the names in their declarations.
  const target = ast.functions.find((one) => one.name === name) ?? ast.functions.find(({ isHole }) => isHole);
  const { start, end } = target?.body ?? { start: 0, end: 0 };
  return {
    isHole: target?.isHole === true,
    fill(solution: string): string {
      const filled = adapter.emitCode(adapter.injectBody(ast, target?.name ?? name, bodyOf(solution)));
      const isKept = filled.startsWith(text.slice(0, start)) && filled.endsWith(text.slice(end)) && adapter.emitCode(ast) === text;
      if (!isKept) throw new Error("text outside the body was changed");
      return filled;
    },
  };
}

interface Verdict {
  readonly by: "tests" | "broken";
  readonly message: string;
}

interface TriedBody {
  readonly compile: string | null;
  /** A problem that JavaScript cannot avoid. */
  readonly tolerated: string | null;
  readonly verdict: Verdict | null;
  readonly injection: string | null;
}

interface BodyTrial {
  readonly oracle: CompileOracle;
  readonly tests: SourceTree;
  readonly path: string;
  /** The project with the hole. */
  readonly folder: string;
  readonly run: Run;
}

/** Tests run in a copy of the project, in which the body is written. */
async function tryBody(adapter: LanguageAdapter, make: () => string, { oracle, tests, path, folder, run }: BodyTrial): Promise<TriedBody> {
  let text: string;
  try {
    text = make();
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    return { compile: null, tolerated: null, verdict: null, injection: error.message };
  }
  const checked = await oracle.checkFile(path, text);
  const compile = problemIn(seriousOf(adapter, checked));
  const verdict = await inCopy(folder, async (copy) => {
    await putFiles(copy, { ...tests, [path]: text });
    return judge(adapter, copy, run);
  });
  return { compile, tolerated: compile === null ? problemIn(checked) : null, verdict, injection: null };
}

/** JavaScript has no annotations, so `noImplicitAny` rejects most callbacks. */
function seriousOf({ id }: LanguageAdapter, { passed, problems }: CompileResult): CompileResult {
  if (id !== "typescript" || passed) return { passed, problems };
  const serious = problems.filter(({ message }) => !/implicitly has (?:an |type |return type )'any/.test(message));
  return { passed: problems.length > 0 && serious.length === 0, problems: serious };
}

function rejection({ compile, verdict, injection }: TriedBody): HumanEvalResult["rejectedBy"] {
  if (injection !== null) return "injection";
  if (verdict?.by === "tests") return "tests";
  return compile === null ? (verdict?.by ?? null) : "compiler";
}

function problemIn({ passed, problems: [first] }: CompileResult): string | null {
  return passed ? null : `${first?.file ?? ""}:${first?.line ?? 0}: ${first?.message ?? ""}`;
}

async function judge(adapter: LanguageAdapter, folder: string, run: Run): Promise<Verdict | null> {
  const { tests, broken } = await adapter.runTests(folder, run);
  const failed = tests.find(({ result }) => result === "FAIL");
  if (failed !== undefined) return { by: "tests", message: failed.error?.message ?? "" };
  if (broken !== null) return { by: "broken", message: broken };
  return tests.length === 0 ? { by: "broken", message: "no test ran" } : null;
}

function isUnchanged(folder: string, tree: SourceTree): boolean {
  const paths = filesIn(folder);
  return (
    paths.join("\n") === Object.keys(tree).toSorted().join("\n") &&
    paths.every((path) => readFileSync(join(folder, path)).equals(Buffer.from(tree[path] ?? "")))
  );
}
