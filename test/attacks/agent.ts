import { verdictsOn } from "./cli.ts";
import { replacing } from "./patches.ts";
import { planFor } from "./site.ts";

/** Plays every role, stores its requests in the home folder, and waits there for the file `go` where `waits` says so. */
const PROGRAM = `const fs = require("node:fs");
let text = "";
process.stdin.on("data", (chunk) => (text += chunk)).on("end", async () => {
  const { role, prompt } = JSON.parse(text);
  fs.appendFileSync(process.env.HOME + "/asked." + role, prompt);
  while (fs.existsSync("wait.txt") && !fs.existsSync(process.env.HOME + "/go")) await new Promise((resolve) => setTimeout(resolve, 20));
  process.stdout.write(JSON.stringify({ output: JSON.parse(fs.readFileSync("answers.json", "utf8"))[role] }));
});
`;

const ANSWERS = {
  planner: { type: "PLAN_SUBMISSION", plan: planFor("letters") },
  builder: { type: "PATCH", summary: "two", unified_diff: replacing("src/a.txt", "one", "two") },
  qa: { type: "NOTE", text: "covered", updates: verdictsOn({ "src/a.txt": 1 }) },
};

/** Files of a repository whose agents are this program instead of recorded answers. */
export function withAgent({ waits = false } = {}): Record<string, string> {
  return {
    "agent.cjs": PROGRAM,
    "answers.json": JSON.stringify(ANSWERS),
    "slipway/agents.yaml": "version: 1\nroles: {}\nruntime: { default_provider: custom, custom: { command: [node, agent.cjs] } }\n",
    ...(waits ? { "wait.txt": "for go\n" } : {}),
  };
}
