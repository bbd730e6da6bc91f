import { NODE_FIELDS, type NodeField, type SpecNode } from "./node.ts";

/** The task's own fields; its position in the spec is not one of them. */
const OWN: readonly NodeField[] = ["name", "description", "subtasks", "acceptance_criteria", "io_contract_sketch"];

/**
 * Maps each task to the task of the earlier spec it continues. Tasks with equal content match, whatever their ids; then tasks with equal
 * ids and at least one equal field of their own; then tasks with equal names. No task is matched twice.
 */
export function matchNodes(before: readonly SpecNode[], after: readonly SpecNode[]): Map<string, SpecNode> {
  const matched = new Map<string, SpecNode>();
  const unmatched = new Map(before.map((node) => [node.spec_task_id, node]));
  const take = (keysOf: (node: SpecNode) => string, isSame: (was: SpecNode, is: SpecNode) => boolean = () => true) => {
    const found = Map.groupBy(unmatched.values(), keysOf);
    for (const node of after) {
      if (matched.has(node.spec_task_id)) continue;
      const candidates = found.get(keysOf(node)) ?? [];
      const one = candidates.find((was) => unmatched.has(was.spec_task_id) && isSame(was, node));
      if (one === undefined) continue;
      matched.set(node.spec_task_id, one);
      unmatched.delete(one.spec_task_id);
    }
  };
  take((node) => `${node.spec_task_id} ${contentOf(node)}`);
  take(contentOf);
  take(
    ({ spec_task_id }) => spec_task_id,
    (was, is) => OWN.some((field) => was.hashes[field] === is.hashes[field]),
  );
  take(({ hashes }) => hashes.name);
  return matched;
}

function contentOf({ hashes }: SpecNode): string {
  return NODE_FIELDS.map((field) => hashes[field]).join();
}

export function changedFields(was: SpecNode, is: SpecNode, matched: ReadonlyMap<string, SpecNode>): string[] {
  const fields: string[] = NODE_FIELDS.filter((field) => was.hashes[field] !== is.hashes[field]);
  const needed = new Set(is.depends_on.map((id) => matched.get(id)?.spec_task_id));
  const same = needed.size === was.depends_on.length && was.depends_on.every((id) => needed.has(id));
  return same ? fields : [...fields, "depends_on"];
}
