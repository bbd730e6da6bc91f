// `npm run test:clients [-- claude acp:codex api …]`: runs the real command line clients in the sandbox, with a scripted model as the only
// reachable host: the provider suite, and a feature from its specification to its merge; the same for models over HTTP. The clients (1.6
// GB, less if only some are named) are installed into the user's cache and kept there; that needs the network once. With --record, their
// output becomes the fixtures that `npm test` plays back. Writes the table of results into docs/providers.md; --table does that again from
// the last run.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { root, setUp } from "./setup.mjs";

/** Packages of each client. */
const PACKAGES = {
  claude: { "@anthropic-ai/claude-code": "2.1.325", "@agentclientprotocol/claude-agent-acp": "0.99.1" },
  codex: { "@openai/codex": "0.166.0", "@agentclientprotocol/codex-acp": "2.6.0" },
  gemini: { "@google/gemini-cli": "0.61.0" },
  opencode: { "opencode-ai": "1.18.33" },
};
/** Only these two need their install script, which puts their program in place; scripts of other packages do not run. */
const BUILT = ["@anthropic-ai/claude-code", "opencode-ai"];

const FIRST_ROWS = [
  "a feature, from its specification to its merge",
  "a pack full of configuration changes nothing",
  "a call that is stopped is counted",
];

const args = process.argv.slice(2);
const only = args.filter((arg) => !arg.startsWith("--"));
const names = Object.keys(PACKAGES);
const choices = [...names, ...names.map((name) => `acp:${name}`), "api"];
const unknown = only.find((name) => !choices.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`There is no ${unknown} here. Choose from ${choices.join(", ")}; a client's name includes its acp: as well.\n`);
  process.exit(2);
}
const { node, missing } = args.includes("--table") ? { node: process.execPath, missing: [] } : setUp();
for (const line of missing) process.stderr.write(`${line}\n`);
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
rmSync(report, { force: true });
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const config = join(root, "test", "clients", "vitest.config.ts");
const { status } = spawnSync(node, [vitest, "run", "--config", config, ...suites()], { cwd: root, env, stdio: "inherit" });
if (existsSync(report)) writeTable(JSON.parse(readFileSync(report, "utf8")));
process.exit(status ?? 1);

/** The test files that run any of the requested clients. */
function suites() {
  const all = only.length === 0;
  return [
    "flow.suite",
    ...(all || only.some((name) => names.includes(name)) ? ["providers.suite", "hostile.suite"] : []),
    ...(all || only.some((name) => name !== "api") ? ["acp.suite", "stopped.suite"] : []),
    ...(all || only.includes("api") ? ["api.suite"] : []),
  ];
}

/** Installs the requested clients beside those already installed. */
function install() {
  const needed = names.filter((name) => only.length === 0 || only.includes(name) || only.includes(`acp:${name}`));
  const wanted = Object.assign({}, ...needed.map((name) => PACKAGES[name]));
  const stamp = join(clients, "installed.json");
  const there = existsSync(stamp) ? JSON.parse(readFileSync(stamp, "utf8")).dependencies : {};
  if (Object.entries(wanted).every(([name, version]) => there[name] === version)) return;
  const dependencies = { ...there, ...wanted };
  const manifest = JSON.stringify({ private: true, dependencies }, null, 2);
  mkdirSync(clients, { recursive: true });
  writeFileSync(join(clients, "package.json"), manifest);
  npm(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]);
  const built = BUILT.filter((name) => name in dependencies);
  if (built.length > 0) npm(["rebuild", "--loglevel=error", ...built]);
  writeFileSync(stamp, manifest);
}

function npm(parameters) {
  if (spawnSync("npm", parameters, { cwd: clients, stdio: "inherit", env }).status !== 0)
    throw new Error(`npm ${parameters[0]} failed in ${clients}`);
}

/** One column per provider that ran, one row per case. A partial run keeps the columns of the others. */
function writeTable({ testResults }) {
  const file = join(root, "docs", "providers.md");
  const text = readFileSync(file, "utf8");
  const [begin, end] = ["<!-- results of npm run test:clients -->", "<!-- end of results -->"];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < 0) throw new Error(`${file} has no place for the results: ${begin} … ${end}`);
  const isWhole = only.length === 0 && !args.includes("--table");
  const table = isWhole ? { columns: [], rows: new Map(FIRST_ROWS.map((row) => [row, {}])) } : readTable(text.slice(from, to));
  const failed = new Set();
  for (const { ancestorTitles, title, status, duration } of testResults.flatMap(({ assertionResults }) => assertionResults)) {
    const [row, column] = placeOf(ancestorTitles[0] ?? "", title);
    if (status === "failed") failed.add(`${row} ${column}`);
    const word = status === "passed" ? `${(duration / 1000).toFixed(1)} s` : "cannot";
    put(table, row, column, failed.has(`${row} ${column}`) ? "**failed**" : word);
  }
  writeFileSync(file, `${text.slice(0, from)}${begin}\n\n${rendered(table)}\n\n${text.slice(to)}`);
  spawnSync(node, [join(root, "node_modules", "prettier", "bin", "prettier.cjs"), "--write", "--log-level", "warn", file], { cwd: root });
}

function placeOf(suite, title) {
  const [flow, pack, stopped] = FIRST_ROWS;
  if (suite.startsWith("features")) return [flow, title];
  if (suite.startsWith("a pack full")) return [pack, title.split(" ")[0]];
  if (suite.startsWith("a call that is")) return [stopped, title.split(" ")[0]];
  return [title, suite.replace("provider suite: ", "")];
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

function rank(column) {
  return ["", "acp", "api"].indexOf(column.includes(":") ? column.split(":")[0] : "");
}

function rendered({ columns: found, rows }) {
  const columns = found.toSorted((left, right) => rank(left) - rank(right) || left.localeCompare(right));
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
