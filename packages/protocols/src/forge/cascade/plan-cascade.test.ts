import { expect, test } from "vitest";
import { CASCADE_STEPS, planCascade } from "./plan-cascade.ts";
import type { NamedTool, ToolKind } from "./tooling.ts";

const tool = (kind: ToolKind): NamedTool => ({ kind, name: `${kind}-node`, tool: "npm", command: ["npm", "run", kind] });

test("[FOR-062][FOR-063][FOR-065] commands stand in the order of the tiers, whatever the order of discovery", () => {
  const tooling = { tools: (["tests", "lint", "typecheck", "build"] as const).map(tool), notes: [] };
  const plan = planCascade(tooling, ["src/a.js"]);
  expect(plan.map(({ kind }) => kind)).toEqual(["syntax", "build", "typecheck", "lint", "tests", "import"]);
  const number = (kind: string) => CASCADE_STEPS.find((step) => step.kind === kind)?.number ?? 0;
  expect(plan.map(({ kind }) => number(kind))).toEqual([2, 3, 4, 5, 6, 7]);
});

test("[FOR-062] each language has one syntax check for all its files, which no file name can change into an option", () => {
  const plan = planCascade({ tools: [], notes: [] }, ["-x.js", "b.mjs", "c.ts", "d.py", "e.go", "f.rs", "g.java", "h.md"]);
  const syntax = plan.filter(({ kind }) => kind === "syntax");
  expect(syntax.map(({ name, command }) => [name, command.filter((part) => part.startsWith("./"))])).toEqual([
    ["syntax-javascript", ["./-x.js", "./b.mjs"]],
    ["syntax-typescript", ["./c.ts"]],
    ["syntax-python", ["./d.py"]],
    ["syntax-go", ["./e.go"]],
    ["syntax-rust", ["./f.rs"]],
  ]);
});

test("[FOR-065] modules are loaded, but no tests, configurations, declarations or scripts with other names", () => {
  const others = ["a.test.js", "test/b.js", "vite.config.ts", "types.d.ts", "setup.py", "tests/test_a.py", "my-script.py"];
  const plan = planCascade({ tools: [], notes: [] }, [...others, "src/a.js", "pkg/mod.py"]);
  const loaded = plan.filter(({ kind }) => kind === "import").map(({ command }) => command.filter((part) => part.startsWith("./")));
  expect(loaded).toEqual([["./src/a.js"], ["./pkg/mod.py"]]);
});
