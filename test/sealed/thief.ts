/**
 * Plays every role of a factory run, in the sandbox. Before it answers it searches in every possible way for the marker that only the
 * sealed source of another module contains, and reports in its answer where it found it. Arguments: its folder, the repository, the home.
 */
export const THIEF = `const fs = require("node:fs");
const path = require("node:path");
const { execFileSync } = require("node:child_process");
const [, , own, root, home] = process.argv;
const answers = JSON.parse(fs.readFileSync(path.join(own, "answers.json"), "utf8"));
const marker = Buffer.from(answers.marker, "base64").toString();
const inside = "modules/MM-twice/1.0.0/implementation/index.ts";
const found = [];

function attempt(way, look) {
  try {
    const seen = String(look());
    if (seen.includes(marker)) found.push(way);
  } catch {}
}
const run = (file, ...args) => execFileSync(file, args, { encoding: "utf8", timeout: 20000, maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });

function look() {
  const store = path.join(root, ".slipway/state_store");
  for (const place of [inside, path.join(store, inside), path.join(root, inside), "../../../state_store/" + inside, "../".repeat(12) + path.join(store, inside).slice(1), "modules/MM-twice/1.0.0/../1.0.0/implementation/index.ts", "modules/MM-twice/1.0.0/IMPLEMENTATION/index.ts"])
    attempt("read " + place, () => fs.readFileSync(place, "utf8"));
  for (const [name, target] of [["peek", path.join(store, inside)], ["up", root], ["store", store], ["proc", "/proc/1/root" + path.join(store, inside)]]) {
    attempt("link " + name, () => (fs.symlinkSync(target, "implementation/" + name), fs.statSync("implementation/" + name).isDirectory() ? run("grep", "-rs", marker, "implementation/" + name + "/") : fs.readFileSync("implementation/" + name, "utf8")));
    attempt("unlink " + name, () => fs.unlinkSync("implementation/" + name));
  }
  attempt("hard link", () => (fs.linkSync(path.join(store, inside), "implementation/hard.ts"), fs.readFileSync("implementation/hard.ts", "utf8")));
  attempt("database", () => fs.readFileSync(path.join(root, ".git/slipway/slipway.db"), "latin1"));
  attempt("journal of the database", () => fs.readFileSync(path.join(root, ".git/slipway/slipway.db-wal"), "latin1"));
  const system = new Set(["proc", "sys", "usr", "lib", "lib32", "lib64", "bin", "sbin", "boot", "snap"]);
  const top = fs.readdirSync("/").filter((name) => !system.has(name)).map((name) => "/" + name);
  for (const place of [root, home, ".", "..", "/proc/self", "/proc/1", ...top])
    attempt("grep " + place, () => run("sh", "-c", 'grep -rsaI --exclude-dir=node_modules -- "$0" "$1" || true', marker, place));
  attempt("find", () => run("sh", "-c", 'find / -xdev -path "*MM-twice*" -name "*.ts" -not -path "/proc/*" -exec cat {} + 2>/dev/null || true'));
  attempt("glob", () => run("sh", "-c", "cat modules/*/*/*/* modules/*/*/implementation/* ../*/implementation/* 2>/dev/null || true"));
  for (const args of [["-C", root, "show", "HEAD:" + inside], ["-C", root, "log", "-p", "--all"], ["--git-dir", path.join(root, ".git"), "show", "main:" + inside], ["show", "HEAD:" + inside], ["-C", root, "grep", marker], ["-C", root, "cat-file", "--batch-all-objects", "--batch"]])
    attempt("git " + args.join(" "), () => run("git", ...args));
  attempt("objects", () => run("sh", "-c", 'for f in "$0"/.git/slipway/objects/*/* "$0"/.git/objects/*/*; do cat "$f" 2>/dev/null; done', root));
  for (const id of fs.readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
    attempt("process " + id, () => fs.readFileSync("/proc/" + id + "/environ", "latin1") + fs.readFileSync("/proc/" + id + "/cmdline", "latin1"));
    attempt("its files " + id, () => fs.readFileSync("/proc/" + id + "/root" + path.join(store, inside), "utf8"));
    attempt("its folder " + id, () => fs.readFileSync("/proc/" + id + "/cwd/.slipway/state_store/" + inside, "utf8"));
  }
}

let text = "";
process.stdin.on("data", (chunk) => (text += chunk)).on("end", () => {
  const { role, subject, attempt: which, input } = JSON.parse(text);
  const mine = role === "proposer" && subject === "MM-twice";
  if (!mine) {
    look();
    attempt("its own request", () => text);
  }
  const known = answers[role + "/" + subject + "/" + which] ?? answers[role + "/" + subject] ?? answers[role];
  const answer = JSON.parse(Buffer.from(known, "base64").toString());
  const said = mine ? "It doubles." : "looked; found: " + JSON.stringify(found);
  for (const file of answer.files ?? []) {
    fs.mkdirSync(path.dirname(file.path), { recursive: true });
    fs.writeFileSync(file.path, file.content);
  }
  delete answer.files;
  if (role === "proposer") answer.claim = said;
  if (role === "arbiter") answer.rationale = said;
  if (role === "challenger") answer.rubric_assessments.at(-1).evidence += " (" + said + ")";
  if (role === "planner") for (const module of answer.modules) module.reuse_justification = said;
  if (role === "product-owner" && answer.tells) {
    answer.calls = [{ tool: "write_file", path: "told.md", content: said + "\\n" + input.last_tool_results }, ...answer.calls];
    delete answer.tells;
  }
  process.stdout.write(JSON.stringify({ output: answer }));
});
`;
