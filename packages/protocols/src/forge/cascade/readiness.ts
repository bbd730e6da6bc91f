import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { fileKind, isTestFile } from "./languages.ts";
import type { HarnessInspection, InspectedFile } from "./inspect-files.ts";

/**
 * Tier 4, for Large tasks. Each rule compares the changed files with the base and fails only where the change makes it worse:
 * - secrets: a line looks like a token or a private key, and no line of the base file is equal;
 * - observability: the sources have fewer calls of a log, a metric or a trace than before;
 * - degradation: the sources handle fewer errors than before, or have more handlers that are empty.
 * Files that the change deletes do not count: their code is gone with what it reported.
 */
export function judgeReadiness(files: readonly InspectedFile[]): HarnessInspection[] {
  const texts = files.flatMap((file) => (file.text === null ? [] : [{ ...file, text: file.text, base: file.base ?? "" }]));
  const sources = texts.filter(({ path }) => SOURCES.has(fileKind(path)) && !isTestFile(path));
  return [secrets(texts), observability(sources), degradation(sources)];
}

type Compared = Omit<InspectedFile, "text" | "base"> & { readonly text: string; readonly base: string };

const SOURCES: ReadonlySet<string> = new Set(["javascript", "typescript", "python", "go", "rust", "java", "other"]);

const HOOKS =
  /\b(?:console\.(?:error|warn|info|log|debug)|(?:log|logger|logging|slog|tracing|span|tracer|metrics?|telemetry)(?:\.|::)\w+|(?:debug|info|warn|error|trace)!|log\.(?:Print|Fatal)\w*)\s*[(.]/gi;
const HANDLED =
  /\bcatch\b|\.catch\s*\(|^\s*except\b|\bif\s+err\s*!=\s*nil\b|\b(?:Err|None)\s*(?:\([^)]*\))?\s*=>|\bunwrap_or\w*\b|\brescue\b/gm;
const EMPTY =
  /\bcatch\s*(?:\([^)]*\))?\s*\{\s*\}|\.catch\s*\(\s*(?:\(\s*\w*\s*\)|\w+)\s*=>\s*\{\s*\}\s*\)|^\s*except\b[^\n:]*:\s*(?:\n\s*)?pass\b/gm;

function secrets(files: readonly Compared[]): HarnessInspection {
  const redactor = createRedactor({ secrets: [] });
  const found = files.flatMap(({ path, text, base }) => {
    const before = new Set(base.split("\n"));
    return text.split("\n").flatMap((line, index) => (before.has(line) || redactor.text(line) === line ? [] : [`${path}:${index + 1}`]));
  });
  const passed = found.length === 0;
  return {
    check_name: "readiness-secrets",
    passed,
    output: passed ? "No new secret." : `These lines look like secrets: ${found.join(", ")}`,
  };
}

function observability(files: readonly Compared[]): HarnessInspection {
  const { before, after } = totals(files, HOOKS);
  const output = `Calls of logs, metrics and traces in the changed sources: ${before} before, ${after} after.`;
  return { check_name: "readiness-observability", passed: after >= before, output };
}

function degradation(files: readonly Compared[]): HarnessInspection {
  const handled = totals(files, HANDLED);
  const empty = totals(files, EMPTY);
  const passed = handled.after >= handled.before && empty.after <= empty.before;
  const output = `Handled errors in the changed sources: ${handled.before} before, ${handled.after} after; empty handlers: ${empty.before} before, ${empty.after} after.`;
  return { check_name: "readiness-degradation", passed, output };
}

/** Over all files together, because code may move from one to another. */
function totals(files: readonly Compared[], pattern: RegExp): { readonly before: number; readonly after: number } {
  const count = (text: string) => [...text.matchAll(pattern)].length;
  return {
    before: files.reduce((sum, { base }) => sum + count(base), 0),
    after: files.reduce((sum, { text }) => sum + count(text), 0),
  };
}
