import type { OutputOf } from "../contract/output.ts";
import { outputProblems } from "../contract/output-problems.ts";
import { commandsIn } from "../contract/names.ts";
import type { CrewAnswer, DispatchOrder } from "../dispatch/order.ts";
import { isTestFile } from "../grants/file-kinds.ts";
import { readmeProblems } from "../session/documents.ts";
import { sessionPath } from "../session/session-name.ts";
import { readCriteria } from "./artifacts.ts";
import { runChecks } from "./commands.ts";
import type { CrewSession } from "./crew-session.ts";

/** What can be said of an answer only after its patch is applied: QA's numbers against a run of its tests, and the README of Docs. */
export async function judgeEffects(
  session: CrewSession,
  order: DispatchOrder,
  key: string,
  answer: CrewAnswer,
): Promise<readonly string[]> {
  const { run } = session;
  if (order.role === "Docs" && answer.output.status === "OK") {
    const readme = await run.ctx.step(`readme:${key}`, () => run.change.services.kernel.features.readAt(run.id, "now", "README.md"));
    return readme === null ? ["README.md: missing"] : readmeProblems(readme);
  }
  return order.role === "QA" ? judgeTests(session, order, key, answer) : [];
}

async function judgeTests(session: CrewSession, order: DispatchOrder, key: string, { output, changed }: CrewAnswer): Promise<string[]> {
  const { run } = session;
  const again = changed.length === 0 ? null : await runChecks(run.change, key, commandsIn(order.acceptanceChecks));
  const all = await run.ctx.step(`changed:${key}`, () => run.change.services.kernel.features.changedFiles(run.id));
  return outputProblems("QA", output as OutputOf<"QA">, {
    taskId: order.taskId,
    taskType: order.taskType,
    taskStatus: null,
    filesExpected: null,
    unreadContext: [],
    designSpecs: [],
    secretsIn: [],
    criteria: (await readCriteria(session)).map(({ id }) => id),
    execution: again?.tests ?? order.execution,
    behaviourChanged: order.behaviourChanged,
    changedTests: all.map(({ path }) => path).filter(isTestFile),
    failedSteps: [],
    checklist: null,
    sessionPath: sessionPath(run.folder),
  });
}
