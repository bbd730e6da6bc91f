import type { Node } from "typescript/unstable/ast";

/** Every node below, parents first. */
export function walk(node: Node, visit: (node: Node) => void): void {
  node.forEachChild((child) => {
    visit(child);
    walk(child, visit);
  });
}
