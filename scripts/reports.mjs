// Reads what the test runs wrote to reports/tests/*.json.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup.mjs";

export function readReports() {
  const folder = join(root, "reports", "tests");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  const tests = files.flatMap((name) =>
    JSON.parse(readFileSync(join(folder, name), "utf8")).testResults.flatMap((file) =>
      file.assertionResults.map(({ fullName, status, meta }) => ({ title: fullName, status, reason: meta?.reason })),
    ),
  );
  return { files, tests, skipped: tests.filter(({ status }) => status !== "passed" && status !== "failed") };
}
