import { posix } from "node:path";
import type { SpecMentions } from "./spec-mentions.ts";
import { finding, type ChangedFile, type TestFinding } from "./finding.ts";
import { languageOf, lex } from "./test-language.ts";

interface LineRule {
  readonly rule: string;
  readonly in: "tests" | "sources" | "both";
  /** Whether comments count, or only code. */
  readonly reads: "text" | "code" | "bare";
  readonly pattern: RegExp;
  readonly message: (found: string) => string;
}

/** Added lines, in any language, that weaken a check. */
const RULES: readonly LineRule[] = [
  {
    rule: "coverage_silenced",
    in: "both",
    reads: "text",
    pattern: /\b(?:c8|v8|istanbul)\s+ignore\b|node:coverage\s+(?:disable|ignore)|pragma:\s*no\s*cover|LCOV_EXCL|:nocov:/i,
    message: (found) => `hides lines from the coverage: ${found}`,
  },
  {
    rule: "checker_silenced",
    in: "both",
    reads: "text",
    pattern:
      /@ts-(?:ignore|nocheck)\b|\b(?:eslint|oxlint|tslint|stylelint)[:-]disable|biome-ignore|#\s*type:\s*ignore|#\s*noqa\b|pylint:\s*disable|@SuppressWarnings|\bnolint\b/,
    message: (found) => `silences a checker: ${found}`,
  },
  {
    rule: "asks_for_tests",
    in: "sources",
    reads: "code",
    pattern:
      /\b(?:NODE_TEST_CONTEXT|VITEST(?:_WORKER_ID)?|JEST_WORKER_ID|PYTEST_CURRENT_TEST|TAP_VERSION|__TEST__|SLIPWAY_\w+)\b|NODE_ENV\b.{0,6}[!=]==?\s*["']test["']|["'](?:unittest|pytest)["']\s+(?:not\s+)?in\s+sys\.modules|\benv(?:iron)?\b[^\n]{0,8}\bCI\b|exec[Aa]rgv[^\n]*--test/,
    message: (found) => `detects whether it runs under test: ${found}`,
  },
  {
    rule: "assertions_replaced",
    in: "both",
    reads: "bare",
    pattern:
      /(?<![\w$.])(?:assert|expect|chai|sinon|TestCase|unittest)(?:\.\w+)+\s*=(?![=>])|Object\.(?:assign|defineProperty)\(\s*(?:assert|expect)\b|mock\.method\(\s*assert\b|\bglobalThis\.(?:test|it|describe|expect|assert)\s*=(?!=)/,
    message: (found) => `replaces a function of the assertion library: ${found}`,
  },
  {
    rule: "runner_replaced",
    in: "tests",
    reads: "bare",
    pattern: /\b(?:const|let|var|function)\s+[xf]?(?:test|it|describe|expect|assert)\b(?!.*\.extend\()/,
    message: (found) => `redefines a test function: ${found}`,
  },
  {
    rule: "process_ended",
    in: "tests",
    reads: "bare",
    pattern:
      /\bprocess\.(?:exit|reallyExit|abort|kill)\s*\(|\bprocess\.exitCode\s*=(?!=)|\bos\.(?:_exit|abort|kill)\s*\(|(?<![\w.])(?:sys\.)?exit\s*\(/,
    message: (found) => `may end the test process itself: ${found}`,
  },
];

export function lineFindings(file: ChangedFile, isTest: boolean, asked: SpecMentions): TestFinding[] {
  const { path, before, after } = file;
  const language = languageOf(path);
  if (after === null || language === null) return [];
  const forms = (text: string) => ({ text, ...lex(text, language) });
  const [old, now] = [forms(before ?? ""), forms(after)];
  return RULES.flatMap(({ rule, in: place, reads, pattern, message }) => {
    if (place !== "both" && (place === "tests") !== isTest) return [];
    const found = addedLines(old[reads], now[reads]).flatMap((line) => pattern.exec(line)?.[0] ?? [])[0];
    return found === undefined ? [] : [finding(rule, path, message(found.trim()), rule === "asks_for_tests" && asked.words(found))];
  });
}

/** Reports added secrets; `redact` removes them from a text. */
export function secretFindings({ path, before, after }: ChangedFile, redact: (text: string) => string): TestFinding[] {
  const lines = after === null ? "" : addedLines(before ?? "", after).join("\n");
  return redact(lines) === lines ? [] : [finding("secret_added", path, "adds an apparent secret")];
}

/** Lines that occur more often than before, at any position and with any indentation. */
export function addedLines(before: string, after: string): string[] {
  const isAdded = addedTo(before.split("\n").map((line) => line.trim()));
  return after.split("\n").filter((line) => isAdded(line.trim()) && line.trim() !== "");
}

/** Tells of one line after the other whether it occurs more often than before. */
export function addedTo(before: readonly string[]): (line: string) => boolean {
  const remaining = new Map<string, number>();
  for (const line of before) remaining.set(line, (remaining.get(line) ?? 0) + 1);
  return (line) => {
    const count = remaining.get(line) ?? 0;
    remaining.set(line, count - 1);
    return count <= 0;
  };
}

const DOUBLE =
  /(?:\bmock\.module|\b(?:vi|jest)\.(?:mock|doMock|unstable_mockModule)|\btd\.replace(?:Esm)?|\bpatch)\(\s*["'`]([^"'`\n]+)["'`]|\bpatch\.object\(\s*([\w.]+)/g;

/** A test that replaces the module under change with a test double tests only the double. */
export function doubleFindings({ path, before, after }: ChangedFile, sources: readonly string[]): TestFinding[] {
  const language = languageOf(path);
  if (after === null || language === null) return [];
  const lines = addedLines(lex(before ?? "", language).code, lex(after, language).code).join("\n");
  return [...lines.matchAll(DOUBLE)].flatMap(([, name, object]) => {
    const target = sources.find((source) =>
      language === "py" ? isModule(source, name ?? object ?? "") : isImported(source, path, name ?? ""),
    );
    return target === undefined
      ? []
      : [finding("unit_doubled", path, `replaces ${target}, which this change is about, with a test double`)];
  });
}

function isImported(source: string, test: string, specifier: string): boolean {
  const named = posix.normalize(posix.join(posix.dirname(test), specifier));
  return specifier.startsWith(".") && withoutExtension(named) === withoutExtension(source);
}

/** `shop.ledger.fee` is in shop/ledger.py, also below src/. */
function isModule(source: string, dotted: string): boolean {
  if (!source.endsWith(".py")) return false;
  const module = withoutExtension(source)
    .replace(/\/__init__$/, "")
    .split("/");
  return module.some((_, from) => `${dotted}.`.startsWith(`${module.slice(from).join(".")}.`));
}

function withoutExtension(path: string): string {
  return path.replace(/\.[^./]+$/, "");
}
