import type { Contract } from "@slipway/languages/contracts/schema";
import { APPROVE, challengeOf, plannedModule, reportOf } from "../../engineering/testing/modules.ts";
import type { ProductSpec, SpecTask } from "../../product/spec.ts";
import type { StateMachine, Task } from "../../project/state.ts";
import { deliver, NUMBERS } from "../../testing/numbers.ts";
import type { Parts, Works } from "../../testing/works.ts";
import type { RebuildPlan } from "../plan.ts";

export const [ONE, TWO] = NUMBERS.pillars[0]!.epics[0]!.stories[0]!.tasks as [SpecTask, SpecTask];

/** Every role succeeds at once. */
export const WELL: Parts = { proposer: [deliver], challenger: [challengeOf()], arbiter: [APPROVE] };

/** Edits the page, lets the product owner emit this spec, and returns the rebuild plan of the gate's question. */
export async function edit(works: Works, page: string, spec: ProductSpec, parts: Parts = {}): Promise<RebuildPlan> {
  await works.again(page, { ...WELL, "product-owner": [{ calls: [{ tool: "emit_structured_spec", spec }] }], ...parts });
  await works.drive();
  return (await works.question()).context["changes"] as RebuildPlan;
}

export async function build(works: Works): Promise<{ readonly status: string; readonly value?: unknown }> {
  await works.answer({ decision: "APPROVE" });
  return works.drive();
}

export const fates = ({ tasks }: RebuildPlan) => tasks.map(({ task_id, action, because }) => `${action} ${task_id}: ${because.join(", ")}`);
/** The calls as role and subject, without repetitions. */
export const asked = (works: Works) => [...new Set(works.asked.map(({ role, subject }) => `${role} ${subject}`))];
export const tasksOf = (works: Works): Record<string, Task> =>
  (JSON.parse(works.file("project/state_machine.json") ?? "{}") as StateMachine).tasks;
export const indexOf = async (works: Works) =>
  (await works.services.codeIndex.snapshot()).map(({ module_id, version, status }) => `${module_id}@${version} ${status}`);

/** A plan that reuses a shipped module and makes nothing. */
export function reusing(id: string, ref: string) {
  return {
    modules: [plannedModule(id, [], { reuse_decision: "REUSE", reuse_candidate_refs: [ref] })],
    contracts: [],
    reuse_reports: [reportOf(id, [], { conclusion: "REUSE_EXISTING" })],
  };
}

/** A Proposer whose `twice` returns this expression and is tested with this result for 21. */
export function making(expression: string, result: number, more: readonly object[] = []) {
  const code = `export class NegativeError extends Error {}\n\nexport function twice(n: number): number {\n  if (n < 0) throw new NegativeError("n is negative");\n  return ${expression};\n}\n`;
  return (shown: Record<string, string>) => {
    const proposal = deliver(shown);
    if ((JSON.parse(shown["module contract"] ?? "{}") as Contract).name !== "twice") return proposal;
    const text = (path: string, content: string) =>
      path.endsWith("index.ts") ? code : content.replace("twice(21), 42", `twice(21), ${result}`).replace("\n42\n", `\n${result}\n`);
    const files = proposal.files.map(({ path, content }) => ({ path, content: text(path, content) }));
    return { ...proposal, files, coverage: [...proposal.coverage, ...more] };
  };
}
