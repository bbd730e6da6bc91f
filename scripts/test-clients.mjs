// `npm run test:clients [-- claude codex …]`: the real command line clients, in the sandbox, with nothing to reach but a scripted
// model: first the suite every provider is run through, then a feature from its specification to its merge. The clients (1.6 GB) are
// installed into the user's cache and kept there. With --record, what they wrote becomes the fixtures that `npm test` plays back.
// Writes the table of results into docs/providers.md; --table does that again from the last run. Needs the network once.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { root, setUp } from "./setup.mjs";

const VERSIONS = {
  "@anthropic-ai/claude-code": "2.1.325",
  "@openai/codex": "0.166.0",
  "@google/gemini-cli": "0.61.0",
  "opencode-ai": "1.18.33",
  "@agentclientprotocol/claude-agent-acp": "0.99.1",
  "@agentclientprotocol/codex-acp": "2.6.0",
};
/** These two put their program in place only after they are installed; nobody else's scripts are run. */
const BUILT = ["@anthropic-ai/claude-code", "opencode-ai"];

const args = process.argv.slice(2);
const { node, missing } = args.includes("--table") ? { node: process.execPath, missing: [] } : setUp();
for (const line of missing) process.stderr.write(`${line}\n`);
const only = args.filter((arg) => !arg.startsWith("--"));
const clients = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "slipway", "clients");
const report = join(root, "reports", "clients.json");
const env = {
  ...process.env,
  PATH: `${dirname(node)}:${process.env.PATH}`,
  SLIPWAY_CLIENTS: clients,
  SLIPWAY_CLIENTS_ONLY: only.join(","),
  SLIPWAY_CLIENTS_RECORD: args.includes("--record") ? "1" : "",
  SLIPWAY_CLIENTS_REPORT: report,
};

if (args.includes("--table")) process.exit(writeTable(JSON.parse(readFileSync(report, "utf8"))));
install();
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const config = join(root, "test", "clients", "vitest.config.ts");
const { status } = spawnSync(node, [vitest, "run", "--config", config], { cwd: root, env, stdio: "inherit" });
if (existsSync(report)) writeTable(JSON.parse(readFileSync(report, "utf8")));
process.exit(status ?? 1);

function install() {
  const wanted = JSON.stringify({ private: true, dependencies: VERSIONS }, null, 2);
  const stamp = join(clients, "installed.json");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  mkdirSync(clients, { recursive: true });
  writeFileSync(join(clients, "package.json"), wanted);
  npm(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]);
  npm(["rebuild", "--loglevel=error", ...BUILT]);
  writeFileSync(stamp, wanted);
}

function npm(parameters) {
  if (spawnSync("npm", parameters, { cwd: clients, stdio: "inherit", env }).status !== 0)
    throw new Error(`npm ${parameters[0]} failed in ${clients}`);
}

/** One column for each provider that was run, one row for each case. A run of some keeps the columns of the others. */
function writeTable({ testResults }) {
  const file = join(root, "docs", "providers.md");
  const text = readFileSync(file, "utf8");
  const [begin, end] = ["<!-- results of npm run test:clients -->", "<!-- end of results -->"];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < 0) throw new Error(`${file} has no place for the results: ${begin} … ${end}`);
  const table = readTable(text.slice(from, to));
  for (const { ancestorTitles, title, status, duration } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
    const suite = ancestorTitles[0] ?? "";
    const [, provider] = /^provider suite: (.*)$/.exec(suite) ?? [];
    const word = status === "passed" ? `${(duration / 1000).toFixed(1)} s` : status === "failed" ? "**failed**" : "cannot";
    if (provider !== undefined) put(table, title, provider, word);
    else if (suite.startsWith("features")) put(table, "a feature, from its specification to its merge", title, word);
    else if (suite.startsWith("a pack full")) put(table, "a pack full of configuration changes nothing", title.split(" ")[0], word);
  }
  writeFileSync(file, `${text.slice(0, from)}${begin}\n\n${rendered(table)}\n\n${text.slice(to)}`);
  spawnSync(node, [join(root, "node_modules", "prettier", "bin", "prettier.cjs"), "--write", "--log-level", "warn", file], { cwd: root });
}

function put(table, row, column, word) {
  if (!table.columns.includes(column)) table.columns.push(column);
  table.rows.set(row, { ...table.rows.get(row), [column]: word });
}

function readTable(text) {
  const lines = text.split("\n").filter((line) => line.startsWith("|"));
  const columns = lines.length === 0 ? [] : cells(lines[0]).slice(1);
  const rows = lines.slice(2).map((line) => {
    const [name, ...words] = cells(line);
    return [name, Object.fromEntries(columns.map((column, index) => [column, words[index]]))];
  });
  return { columns, rows: new Map(rows) };
}

function rendered({ columns, rows }) {
  const body = [...rows].map(([name, words]) => line([name, ...columns.map((column) => words[column] ?? "")]));
  return [line(["case", ...columns]), line(["---", ...columns.map(() => "---")]), ...body].join("\n");
}

function line(cells) {
  return `| ${cells.join(" | ")} |`;
}

function cells(text) {
  return text
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}
