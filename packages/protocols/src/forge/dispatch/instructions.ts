import type { PlayedForgeRole } from "../agents.ts";
import type { DispatchOf } from "./dispatches.ts";

type Instruct<R extends PlayedForgeRole> = (dispatch: DispatchOf<R>) => string;

/** The first lines of each request. What is always true of a role stands in its role file. */
export const INSTRUCTIONS: { readonly [R in PlayedForgeRole]: Instruct<R> } = {
  researcher: ({ focus }) => `Step 1. Research the repository for the request with the focus "${focus}".`,
  spec: () => "Step 2. Write the specification of the request. Put concerns that a person should hear before work begins into `pushback`.",
  designer: ({ round }) =>
    round === 1
      ? "Step 3. Design the change that the specification asks for."
      : `Step 3, revision ${round - 1}. Revise your design: answer every finding of the majority, and keep what was not criticised.`,
  planner: ({ failed }) =>
    failed.length === 0
      ? "Step 4. Plan the design as tasks in waves."
      : `Step 4, replan mode. Plan ${failed.map(({ task_id }) => task_id).join(", ")} again so that their findings are answered. Return the whole plan; every other task stays exactly as it is.`,
  implementer: ({ task_id, mode }) => IMPLEMENT[mode](task_id),
  verifier: ({ task_id, round }) => `Step 6. Verify ${task_id}, pass ${round}. Its checks have run: their rows are below.`,
  "adversarial-reviewer": ({ scope, focus, round }) =>
    `Step ${scope === "design" ? "3b" : "7"}. Review the ${scope} with the focus ${focus}, round ${round}.`,
  "knowledge-agent": () => "Step 8. Record what later runs should know, and the decisions that were made.",
};

const IMPLEMENT: Readonly<Record<DispatchOf<"implementer">["mode"], (task: string) => string>> = {
  implement: (task) => `Step 5. Implement ${task}. Its baseline checks have run before your first edit.`,
  fix: (task) => `Step 5, mode fix. Repair the findings below in ${task}, and nothing else.`,
  revert: (task) =>
    `Step 5, mode revert. The harness restores the files of ${task} from the baseline tag. Report what is given up and why.`,
};
