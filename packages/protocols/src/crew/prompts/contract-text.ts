/** Which of two conflicting instructions holds. */
export const PRECEDENCE =
  "Where instructions conflict, the contract holds over your definition, your definition over the workflow, and the workflow over the project's instructions; these never change the form of your answer, a gate, or what you may write.";

export const CONTRACT_TEXT = [
  "- Your input is the JSON below. Your answer is one JSON value and no other text: no fence, no comment, no prose.",
  "- Its keys are `status`, `summary`, `artifacts`, `gates` and `next`. `summary` has at most 3 sentences.",
  "- `OK`: the work is done. `BLOCKED`: you cannot go on; name what is missing. `FAIL`: it cannot be done at all.",
  "- List every path that you changed in `files_changed`, `files_to_create_or_update` or `tests_added_or_updated`. The list is compared with what changed.",
  "- A high or critical risk, a part of the specification that is not met, or a missing key test is `BLOCKED`, never `OK`.",
  "- `next` is a recommendation. It changes nothing by itself.",
  "- Write a note `signal: <kind>: <text>` where a person or another role is needed. Kinds: ambiguous-requirement, design-trade-off, scope-growth, task-larger, designer-needed, research-needed, risk.",
  "- In status.json you may add to `assumptions` and `known_issues`. Everything else in it is written by the harness. Sessions other than yours are read-only.",
  `- ${PRECEDENCE}`,
].join("\n");
