// Reads the reports of the test runs in reports/tests/*.json.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";
import { root } from "./setup.mjs";

export function readReports() {
  const folder = join(root, "reports", "tests");
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".json")) : [];
  const tests = files.flatMap((name) =>
    JSON.parse(readFileSync(join(folder, name), "utf8")).testResults.flatMap((file) =>
      file.assertionResults.map(({ fullName, status, failureMessages }) => ({
        title: fullName,
        status,
        file: relative(root, file.name),
        failures: failureMessages ?? [],
      })),
    ),
  );
  return { files, tests, skipped: skipNotes(folder) };
}

/** Written by the reporter in vitest.shared.ts: skipped tests with the reason. */
function skipNotes(folder) {
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".skips")) : [];
  return files.flatMap((name) => JSON.parse(readFileSync(join(folder, name), "utf8")));
}
