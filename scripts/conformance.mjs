// `npm run conformance`: which requirement ids have a passing test that names them, per protocol.
// --summary: one line per protocol. --json: everything. Run `npm test` first: this reads its report.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";
import { readReports } from "./reports.mjs";

const { parse } = await import("yaml");
const folder = join(root, "docs", "requirements");
const { files, tests } = readReports();
const idsOf = (wanted) =>
  new Set(
    tests
      .filter(({ status }) => status === wanted)
      .flatMap(({ title }) => [...title.matchAll(/\[([A-Z]{3}-\d{3})\]/g)].map(([, id]) => id)),
  );
const passing = idsOf("passed");
const failing = idsOf("failed");

const protocols = readdirSync(folder)
  .filter((name) => name.endsWith(".yaml"))
  .map((name) => {
    const { protocol, requirements } = parse(readFileSync(join(folder, name), "utf8"));
    const met = requirements.filter(({ id }) => passing.has(id) && !failing.has(id));
    const missing = requirements.filter(({ id }) => !passing.has(id) || failing.has(id));
    return { protocol, total: requirements.length, met: met.map(({ id }) => id), missing: missing.map(({ id, must }) => ({ id, must })) };
  });

const known = new Set(protocols.flatMap(({ met, missing }) => [...met, ...missing.map(({ id }) => id)]));
const unknown = [...passing, ...failing].filter((id) => !known.has(id));

if (process.argv.includes("--json")) console.log(JSON.stringify({ protocols, unknown }, null, 2));
else {
  if (files.length === 0) console.error("No test report in reports/tests: run `npm test` first.");
  for (const { protocol, total, met, missing } of protocols) {
    console.log(`${protocol} ${met.length}/${total}`);
    if (process.argv.includes("--summary")) continue;
    for (const { id, must } of missing) console.log(`  ${id}  ${must.replaceAll(/\s+/g, " ").slice(0, 110)}`);
  }
  for (const id of unknown) console.log(`unknown requirement in a test title: ${id}`);
}
process.exitCode = unknown.length === 0 ? 0 : 1;
