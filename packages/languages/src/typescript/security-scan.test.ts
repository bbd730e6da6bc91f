import { describe, expect, test } from "vitest";
import { scanSource } from "./security-scan.ts";
import { hasNestedQuantifiers } from "./security/quantifiers.ts";
import { SECURITY_RULES } from "./security/rules.ts";
import { parseSource } from "./source/parse-source.ts";

const scan = (text: string, name?: string) =>
  scanSource(parseSource(text), name).map(({ rule, severity, line }) => `${rule} ${severity} ${line}`);
const inside = (body: string, contract = "PURITY: writes") =>
  `/**\n * ${contract}\n */\nexport function f(a: string, b: any): unknown {\n${body}\n}`;

const CASES: [string, string, string][] = [
  ["eval critical", "eval", "return eval(a);"],
  ["eval critical", "eval of the global object", "return globalThis['eval'](a);"],
  ["function-constructor critical", "new Function", "return new Function(a)();"],
  ["function-constructor critical", "Function", "return Function(a)();"],
  ["function-constructor critical", "the constructor of a function", "return b.constructor.constructor(a)();"],
  ["dynamic-import high", "import()", "return import(a);"],
  ["dynamic-import high", "require", "return require('fs');"],
  ["network-call high", "fetch", "return fetch(a);"],
  ["network-call high", "WebSocket", "return new WebSocket(a);"],
  ["process-access high", "process", "process.exit(0);"],
  ["process-access high", "globalThis", "return globalThis[a];"],
  ["prototype-write high", "a method of a prototype", "Array.prototype.map = b; return 1;"],
  ["prototype-write high", "__proto__", "b.__proto__.x = 1; return 1;"],
  ["prototype-write high", "a computed __proto__", "b['__proto__'] = a; return 1;"],
  ["prototype-write high", "setPrototypeOf", "Object.setPrototypeOf(b, null);"],
  ["prototype-write high", "defineProperty", "Object.defineProperty(Object.prototype, a, b);"],
  ["nested-quantifiers medium", "a literal", "return /^(a+)+$/.test(a);"],
  ["nested-quantifiers medium", "a constructed one", "return new RegExp('([a-z]+)*$').test(a);"],
  ["built-sql high", "a template", "return b.run(`select * from users where name = ${a}`);"],
  ["built-sql high", "a sum", "return b.run('delete from users where name = ' + a);"],
  ["built-shell-command critical", "a template", "return b.exec(`ls ${a}`);"],
  ["built-shell-command critical", "a sum", "return b.execSync('ls ' + a);"],
];

describe("the scan finds", () => {
  test.each(CASES)("%s: %s", (expected, _, body) => {
    expect(scan(inside(body), "f")).toContain(`${expected} 5`);
    expect(scan(inside(body))).toContain(`${expected} 5`);
  });

  test("modules of the system, where they are imported and where they are used", () => {
    const text = `import { execFileSync } from "node:child_process";\nimport * as files from "fs";\nimport type { Server } from "net";\nexport function f(a: string): string { return files.readFileSync(a, "utf8"); }\nexport function g() { return execFileSync("true"); }\nexport function h(server: Server) { return server.files; }`;
    expect(scan(text)).toEqual([
      "process-module high 1",
      "file-or-network-module high 2",
      "file-or-network-module high 4",
      "process-module high 5",
    ]);
    expect(scan(text, "f")).toEqual(["file-or-network-module high 4"]);
    expect(scan(text, "h")).toEqual([]);
  });

  test("a clock, randomness or the console in a pure function only", () => {
    for (const body of [
      "console.log(a);",
      "return Math.random();",
      "return Date.now();",
      "return new Date();",
      "return crypto.randomUUID();",
    ]) {
      expect(scan(inside(body, "PURITY: pure"), "f")).toEqual(["impure-in-pure medium 5"]);
      expect(scan(inside(body, "PURITY: reads"), "f")).toEqual([]);
    }
    expect(scan(inside("return new Date(a);", "PURITY: pure"))).toEqual([]);
  });

  test("less severe, what a function with PURITY: io does with files, network and process", () => {
    expect(scan(inside("return fetch(process.env[a]);", "PURITY: io"), "f")).toEqual(["network-call medium 5", "process-access medium 5"]);
  });

  test("each rule has a case", () => {
    const found = new Set([...CASES.map(([rule]) => rule.split(" ")[0]), "process-module", "file-or-network-module", "impure-in-pure"]);
    expect(new Set(SECURITY_RULES.map(({ rule }) => rule))).toEqual(found);
  });
});

test.each([
  ["(a+)+", true],
  ["(a*)*", true],
  ["(\\w+\\s?)+$", true],
  ["(?:x|a+)*", true],
  ["(a{2,}){3,}", true],
  ["(?:\\d+,)*", false],
  ["(a|b)+", false],
  ["[a-z]+(?:-[a-z]+)*", false],
  ["(?:-[a-z-]+)*", true],
  ["(?:-[^a]+)*", true],
  ["(?:-.+)*", true],
  ["(?:-?[a-z]+)*", true],
  ["[(+]+[)+]+", false],
  ["\\(a+\\)+", false],
  ["(a\\+)+", false],
  ["(?<year>\\d{4})-(\\d+)", false],
  ["[unclosed", false],
  ["a)+", false],
])("nested quantifiers in %s: %s", (pattern, expected) => {
  expect(hasNestedQuantifiers(pattern)).toBe(expected);
});

test("ordinary code has no findings", () => {
  const text = `import { join } from "node:path";
export interface Event { process: string; global: boolean }
/** PURITY: pure */
export function summarise(events: readonly Event[], options: { process?: string } = {}): string {
  const chosen = events.filter(({ process: name }) => options.process === undefined || name === options.process);
  const lines = chosen.map((event, at) => \`\${at + 1}. \${event.process} from \${join("a", "b")}\`);
  return "selected " + lines.length + " of " + events.length + ": " + lines.join("; ");
}
export class Store {
  readonly #rows = new Map<string, number>();
  update(name: string, set: number): void { this.#rows.set(name, set); }
  find(pattern: RegExp): string[] { return [...this.#rows.keys()].filter((key) => pattern.test(key) && /^[a-z]+(?:-[a-z]+)*$/.test(key)); }
}
export const evaluate = (functions: readonly (() => number)[]): number => functions.reduce((sum, run) => sum + run(), 0);
export function parse(text: string): unknown { const match = /^(\\d+)(?:px|em)?$/.exec(text); return match === null ? JSON.parse(text) : Number(match[1]); }
export function age(born: Date, now: Date): number { return now.getFullYear() - born.getFullYear(); }
`;
  expect(scan(text)).toEqual([]);
});
