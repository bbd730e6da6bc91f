import { plainNode, type RunNode, type RunView } from "@slipway/protocols/run-view";
import { expect, test } from "vitest";
import { runTreeLines } from "./run-tree.ts";

const NOW = 10_000;
const view = (...nodes: readonly Partial<RunNode>[]): RunView => ({
  run: "r",
  protocol: "features",
  status: "running",
  nodes: [
    plainNode({ id: "r", parent: null, kind: "run", title: "r", status: "running" }),
    ...nodes.map((node, index) =>
      plainNode({ id: `n${index}`, parent: "r", kind: "feature", title: `f${index}`, status: "building", ...node }),
    ),
  ],
});
const lines = (...nodes: readonly Partial<RunNode>[]) => runTreeLines(view(...nodes), false, NOW).slice(1);

test.each<[string, Partial<RunNode>, string]>([
  ["a running step with its duration", { now: "builder at work", since: 7_000 }, "  f0: building; builder at work 3 s"],
  ["a step that has just begun", { now: "builder at work", since: NOW }, "  f0: building; builder at work"],
  ["its cost", { cost_usd: 1.5 }, "  f0: building $1.50"],
  ["a person", { waits_for: [{ for: "person", what: "Q1 (approval)" }] }, "  f0: building; needs you: Q1 (approval)"],
  ["another feature", { waits_for: [{ for: "feature", what: "f1" }] }, "  f0: building; waits for feature f1"],
  ["a free slot", { waits_for: [{ for: "slot", what: "" }] }, "  f0: building; waits for slot"],
  ["its reason, on one line", { reason: "no\nreason" }, "  f0: building; no reason"],
])("shows %s", (_what, node, expected) => {
  expect(lines(node)).toEqual([expected]);
});

test("children are below their parents, indented", () => {
  expect(lines({ title: "phase" }, { parent: "n0", title: "task" }, { parent: "n1", title: "module" })).toEqual([
    "  phase: building",
    "    task: building",
    "      module: building",
  ]);
});

test("a view without nodes has no lines", () => {
  expect(runTreeLines({ run: "r", protocol: "p", status: "s", nodes: [] }, false, NOW)).toEqual([]);
});
