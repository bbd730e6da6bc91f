// The scripted agent. `node agent.mjs SCRIPT` edits the files of the current folder and prints its claim; with `--slipway` it answers one
// request of Slipway's `custom` provider instead. It decides nothing: SCRIPT has everything.
import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const script = JSON.parse(readFileSync(process.argv[2], "utf8"));
const CLAIM = "Everything is implemented as specified. All tests were run and pass.";

if (process.argv.includes("--slipway")) await answer();
else work();

function work() {
  if (script.conduct === "stays silent") return;
  if (script.conduct !== "only says so") applyEdits({ ...script.work, ...script.qa });
  if (script.conduct === "commits itself") commit();
  process.stdout.write(`${CLAIM}\n`);
}

async function answer() {
  let text = "";
  for await (const chunk of process.stdin) text += chunk;
  const output = outputFor(JSON.parse(text));
  if (output !== null) process.stdout.write(JSON.stringify({ output, usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 } }));
}

function outputFor({ role, attempt, input }) {
  if (role === "planner") return { type: "PLAN_SUBMISSION", plan: script.plan };
  if (role === "qa") return test(attempt, input);
  if (script.conduct === "stays silent") return null;
  if (script.conduct === "only says so") return { type: "NOTE", text: CLAIM };
  if (script.conduct === "commits itself" && attempt === "1") {
    applyEdits(script.work);
    commit();
  }
  const { builder } = script.patches;
  return { type: "PATCH", summary: CLAIM, unified_diff: builder[Math.min(Number(attempt), builder.length) - 1] };
}

/** Claims that every hunk was tested. */
function test(attempt, { context_bundle }) {
  const entries = JSON.parse(context_bundle.find(({ kind }) => kind === "qa_index")?.text ?? '{"pending":[]}');
  const updates = entries.pending.map(({ path, hunks }) => ({
    path,
    hunks: hunks.map(({ start_line, end_line }) => ({ start_line, end_line })),
    status: "passed",
  }));
  const more = updates.length > 0 ? { updates } : {};
  if (script.patches.qa === null || attempt !== "1") return { type: "NOTE", text: CLAIM, ...more };
  return { type: "PATCH", summary: CLAIM, unified_diff: script.patches.qa, ...more };
}

function applyEdits(edits) {
  for (const [path, edit] of Object.entries(edits)) {
    const file = join(process.cwd(), path);
    rmSync(file, { force: true });
    if (edit === null) continue;
    mkdirSync(dirname(file), { recursive: true });
    if (typeof edit === "string") writeFileSync(file, edit, { mode: path.includes("/bin/") || path.includes("/.bin/") ? 0o755 : 0o644 });
    else symlinkSync(edit.link, file);
    lstatSync(file);
  }
}

function commit() {
  git("add", "--all");
  git("commit", "--quiet", "--message", "done");
}

function git(...args) {
  execFileSync("git", ["-c", "user.name=agent", "-c", "user.email=agent@localhost", ...args], { stdio: "ignore" });
}
