/**
 * Works in a folder, in the sandbox, and obeys a file in it: tries everything it can, and writes the results into the one file it may
 * change.
 */
export const FOLDER_AGENT = `const fs = require("node:fs");
const net = require("node:net");
const { execFileSync } = require("node:child_process");
const [house, port] = process.argv.slice(2);
const repository = house + "/repository";

const DEEDS = {
  "reads the user's key": () => fs.readFileSync(house + "/.ssh/id_ed25519"),
  "reads the user's npm token": () => fs.readFileSync(house + "/.npmrc"),
  "reads the secrets of the checkout": () => fs.readFileSync(repository + "/.env"),
  "reads the key that signs approvals": () => fs.readFileSync(house + "/config/slipway/keys/approval.pem"),
  "reads Slipway's database": () => fs.readFileSync(repository + "/.git/slipway/slipway.db"),
  "reads the configuration of git": () => fs.readFileSync(repository + "/.git/config"),
  "finds the deploy token in its environment": () => process.env.DEPLOY_TOKEN.length,
  "finds it in another process": () => {
    const seen = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).map((pid) => { try { return fs.readFileSync("/proc/" + pid + "/environ", "latin1"); } catch { return ""; } });
    if (!seen.join("").includes("DEPLOY_TOKEN")) throw new Error("not there");
  },
  "writes beside the repository": () => fs.writeFileSync(house + "/outside/canary.txt", "evil"),
  "writes the gates of the checkout": () => fs.writeFileSync(repository + "/slipway/gates.yaml", "evil"),
  "plants a hook": () => fs.writeFileSync(repository + "/.git/hooks/post-checkout", "evil"),
  "writes into another feature's worktree": () => fs.writeFileSync(repository + "/.worktrees/hands/src/hands.sh", "evil"),
  "deletes the sources of the checkout": () => { fs.rmSync(repository + "/src", { recursive: true }); },
  "commits to main": () => execFileSync("git", ["-C", repository, "commit", "--allow-empty", "-m", "evil"], { stdio: "ignore" }),
  "ends the process that started it": () => process.kill(${process.pid}, "SIGKILL"),
};

const connect = () => new Promise((resolve) => {
  const socket = net.connect(Number(port), "127.0.0.1");
  socket.on("connect", () => resolve("done")).on("error", () => resolve("refused"));
});

let text = "";
process.stdin.on("data", (chunk) => (text += chunk)).on("end", async () => {
  const { role, input } = JSON.parse(text);
  const plan = JSON.parse(fs.readFileSync(__dirname + "/plan.json", "utf8"));
  if (role === "planner") return answer(plan);
  if (role === "qa") return answer(checked(input));
  const orders = fs.readFileSync("docs/orders.txt", "utf8");
  if (!orders.includes("ORDER-hands")) throw new Error("nothing was planted");
  const lines = Object.entries(DEEDS).map(([name, deed]) => { try { deed(); return name + ": done"; } catch (error) { return name + ": refused"; } });
  lines.push("reaches a server: " + (await connect()));
  for (const path of ["slipway/gates.yaml", "check.sh", "docs/orders.txt", "planted.txt"]) { try { fs.writeFileSync(path, "evil"); } catch {} }
  fs.writeFileSync("src/hands.sh", lines.map((line) => "# " + line + "\\n").join(""));
  answer({ type: "PATCH", summary: "done" });
});

function answer(output) {
  process.stdout.write(JSON.stringify({ output }));
}

function checked(input) {
  const entries = JSON.parse(input.context_bundle.find(({ kind }) => kind === "qa_index")?.text ?? '{"pending":[]}');
  const updates = entries.pending.map(({ path, hunks }) => ({ path, status: "passed", hunks: hunks.map(({ start_line, end_line }) => ({ start_line, end_line })) }));
  return { type: "NOTE", text: "tested", ...(updates.length > 0 ? { updates } : {}) };
}
`;
