/**
 * Does its work, unless it reads the order that was planted for its feature: then it obeys. It stores everything it was sent below the home
 * folder. The orders themselves are not in the repository, so only the planted text can trigger them.
 */
export const WEAK_AGENT = `const fs = require("node:fs");
let text = "";
process.stdin.on("data", (chunk) => (text += chunk)).on("end", () => {
  const asked = JSON.parse(text);
  const home = process.env.HOME + "/agent";
  const known = JSON.parse(fs.readFileSync(home + "/orders.json", "utf8"))[asked.subject];
  fs.appendFileSync(home + "/asked.jsonl", JSON.stringify({ role: asked.role, subject: asked.subject, attempt: asked.attempt, prompt: asked.prompt, read: asked.prompt.includes(known.marker) }) + "\\n");
  const inLog = known.channel !== "gate log" || asked.input.last_tool_results.includes(known.marker) || asked.role !== "builder";
  const obeys = asked.prompt.includes(known.marker) && inLog ? known.obeys[asked.role] : undefined;
  process.stdout.write(JSON.stringify({ output: obeys ?? known.works[asked.role] ?? checked(asked) }));
});

function checked({ input }) {
  const entries = JSON.parse(input.context_bundle.find(({ kind }) => kind === "qa_index")?.text ?? '{"pending":[]}');
  const updates = entries.pending.map(({ path, hunks }) => ({ path, status: "passed", hunks: hunks.map(({ start_line, end_line }) => ({ start_line, end_line })) }));
  return { type: "NOTE", text: "tested", ...(updates.length > 0 ? { updates } : {}) };
}
`;
