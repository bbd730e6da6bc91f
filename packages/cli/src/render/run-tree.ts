import { oneLine } from "@slipway/protocols/narration/one-line";
import type { RunNode, RunView, RunWait } from "@slipway/protocols/run-view";
import { paint } from "@slipway/protocols/surface/paint";

/** One line per node, indented below its parent, with what it waits for and why. */
export function runTreeLines({ protocol, nodes }: RunView, color: boolean, now: number): string[] {
  const { bold, dim, yellow } = paint(color);
  const children = Map.groupBy(nodes, ({ parent }) => parent);
  const below = (parent: string, depth: number): string[] =>
    (children.get(parent) ?? []).flatMap((node) => [lineOf(node, depth), ...below(node.id, depth + 1)]);
  const lineOf = (node: RunNode, depth: number) => `${"  ".repeat(depth)}${node.title}: ${node.status}${factsOf(node)}`;
  const factsOf = (node: RunNode) => {
    const facts = [node.now === null ? null : `${node.now}${elapsed(node.since, now)}`, ...node.waits_for.map(waitText), node.reason];
    const behind = facts.filter((fact) => fact !== null).map(oneLine);
    const cost = node.cost_usd === null || node.cost_usd === 0 ? "" : dim(` $${node.cost_usd.toFixed(2)}`);
    return `${cost}${behind.length === 0 ? "" : `; ${yellow(behind.join("; "))}`}`;
  };
  const [root] = nodes;
  return root === undefined ? [] : [`${bold(`${root.title} (${protocol}): ${root.status}`)}${factsOf(root)}`, ...below(root.id, 1)];
}

function waitText({ for: what, what: whom }: RunWait): string {
  return what === "person" ? `needs you: ${whom}` : `waits for ${[what, whom].filter((word) => word !== "").join(" ")}`;
}

function elapsed(since: number | null, now: number): string {
  return since === null || now - since < 1000 ? "" : ` ${Math.floor((now - since) / 1000)} s`;
}
