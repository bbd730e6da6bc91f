import { FORGE_AGENTS, type ForgeRole } from "../agents.ts";

const NODES: readonly (readonly [id: string, shape: "step" | "gate" | "end", label: string])[] = [
  ["S0", "step", "Step 0: Setup<br/>ledger, git hygiene, concerns"],
  ["S1", "step", "Step 1: Research<br/>4 researchers, pattern A"],
  ["AG1", "gate", "Step 1a: approval gate<br/>(interactive only)"],
  ["S2", "step", "Step 2: Specification<br/>with concerns"],
  ["S3", "step", "Step 3: Design<br/>recorded decisions"],
  ["S3b", "step", "Step 3b: Design Review<br/>3 reviewers"],
  ["S4", "step", "Step 4: Planning<br/>risks, sizes, waves"],
  ["AG2", "gate", "Step 4a: approval gate<br/>(interactive only)"],
  ["S5", "step", "Step 5: Implementation<br/>waves of at most 4, baseline first"],
  ["S6", "step", "Step 6: Verification<br/>one verifier per task, tiers 1 to 4"],
  ["S5R", "step", "Replan and implement again"],
  ["S7", "step", "Step 7: Code Review<br/>3 reviewers"],
  ["S7F", "step", "Fix and verify again"],
  ["S8", "step", "Step 8: Knowledge"],
  ["S8b", "step", "Step 8b: Evidence Bundle"],
  ["S9", "step", "Step 9: Commit<br/>confidence High or Medium"],
  ["DONE", "end", "Done"],
];

const EDGES: readonly (readonly [from: string, to: string, label?: string])[] = [
  ["S0", "S1"],
  ["S1", "AG1"],
  ["AG1", "S2"],
  ["S2", "S3"],
  ["S3", "S3b"],
  ["S3b", "S4"],
  ["S3b", "S3", "needs revision (max 1 loop)"],
  ["S4", "AG2"],
  ["AG2", "S5"],
  ["S5", "S6"],
  ["S6", "S7"],
  ["S6", "S5R", "below threshold (max 3 loops)"],
  ["S5R", "S5"],
  ["S7", "S8"],
  ["S7", "S7F", "needs revision (max 2 rounds)"],
  ["S7F", "S7"],
  ["S8", "S8b"],
  ["S8b", "S9"],
  ["S9", "DONE"],
];

const SHAPES = { step: ['["', '"]'], gate: ['{"', '"}'], end: ['(["', '"])'] } as const;

function stepChart(): string {
  const nodes = NODES.map(([id, shape, label]) => `    ${id}${SHAPES[shape][0]}${label}${SHAPES[shape][1]}`);
  const edges = EDGES.map(([from, to, label]) => `    ${from} ${label === undefined ? "-->" : `-- "${label}" -->`} ${to}`);
  return ["flowchart TD", ...nodes, "", ...edges].join("\n");
}

export function readme(): string {
  const agents = (Object.keys(FORGE_AGENTS) as ForgeRole[]).map((name) => {
    const { title, steps } = FORGE_AGENTS[name];
    return `| ${title} | ${steps.join(", ")} | [${name}.agent.md](.github/agents/${name}.agent.md) |`;
  });
  return [
    "# Feature pipeline",
    "Nine agents take a feature request from research to a verified commit. This folder is an export of Slipway's protocol forge for GitHub Copilot in VS Code.",
    `\`\`\`mermaid\n${stepChart()}\n\`\`\``,
    ["| agent | steps | definition |", "| --- | --- | --- |", ...agents].join("\n"),
    "References: [schemas](.github/agents/schemas.md), [dispatch patterns](.github/agents/dispatch-patterns.md), [severity taxonomy](.github/agents/severity-taxonomy.md).",
    "## Use\n\nMove or copy the `.github` folder of this export into a repository, or name its folders in the settings `chat.agentFilesLocations` and `chat.promptFilesLocations`. Then start the pipeline in the chat with `/feature-workflow` and the request.",
    "## What an editor does not do\n\nHere the definitions are prompts. Nothing runs the checks apart from the agents, writes the ledger, holds an agent to its files and tools, or computes the gates: an agent's report is all there is. `slipway run --protocol forge` does all of this with the same definitions.",
  ].join("\n\n");
}
