import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import type { BenchRow } from "@slipway/durable/bench/durable";
import { GROUPS } from "./group.ts";
import { benchPeer, peerTable } from "./peer/bench.ts";
import { PEER } from "./peer/install.ts";

const DOCUMENT = join(import.meta.dirname, "..", "..", "docs", "benchmarks.md");
const MARKER = "<!-- measured -->";

const options = process.argv.slice(2);
const asked = options.filter((name) => !name.startsWith("--"));
const unknown = asked.filter((name) => !(name in GROUPS));
if (unknown.length > 0 || (asked.length > 0 && options.includes("--write"))) {
  console.error(`npm run bench -- [--write | GROUP...], where GROUP is one of ${Object.keys(GROUPS).join(", ")}`);
  process.exit(2);
}

const group = join(import.meta.dirname, "group.ts");
/** In separate processes, so that the memory of one does not affect the next. */
const rows = (asked.length > 0 ? asked : Object.keys(GROUPS)).flatMap((name) => {
  const text = execFileSync(process.execPath, [...process.execArgv, group, name], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  return JSON.parse(text) as BenchRow[];
});
const table = [
  "| what | measured | ratio | bar | met |",
  "|---|---|---|---|---|",
  ...rows.map(
    ({ what, value, ratio, bar, ok }) =>
      `| ${what} | ${value} | ${ratio === null ? "" : ratio.toFixed(2)} | ${bar} | ${ok ? "yes" : "**no**"} |`,
  ),
].join("\n");
console.log(table);
if (asked.length > 0) process.exit(rows.every(({ ok }) => ok) ? 0 : 3);
const peerRows = await benchPeer((line) => console.error(line));
const tables = `${table}\n\n### Against ${PEER.name} ${PEER.version}\n\n${peerTable(peerRows)}`;
console.log(`\n${peerTable(peerRows)}`);

if (options.includes("--write")) {
  const [head = ""] = readFileSync(DOCUMENT, "utf8").split(MARKER);
  const machine = `Node ${process.versions.node}, ${cpus().length} cores (${cpus()[0]?.model ?? "unknown"}), ${new Date().toISOString().slice(0, 10)}.`;
  writeFileSync(DOCUMENT, `${head}${MARKER}\n\n${machine}\n\n${tables}\n`);
}
process.exitCode = rows.every(({ ok }) => ok) && peerRows.every(({ met }) => met !== false) ? 0 : 3;
