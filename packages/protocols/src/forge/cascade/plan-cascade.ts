import { CHECK_JAVASCRIPT, CHECK_TYPESCRIPT, IMPORT_JAVASCRIPT, IMPORT_PYTHON } from "./check-scripts.ts";
import { byKind, isTestFile, type FileKind } from "./languages.ts";
import { TOOL_KINDS, type Tooling } from "./tooling.ts";

/** The steps of the cascade, in the order in which they run. */
export const CASCADE_STEPS = [
  { number: 1, tier: 1, kind: "diagnostics", when: "always" },
  { number: 2, tier: 1, kind: "syntax", when: "always" },
  { number: 3, tier: 2, kind: "build", when: "if the project has it" },
  { number: 4, tier: 2, kind: "typecheck", when: "if the project has it" },
  { number: 5, tier: 2, kind: "lint", when: "if the project has it" },
  { number: 6, tier: 2, kind: "tests", when: "if the project has it" },
  { number: 7, tier: 3, kind: "import", when: "if Tiers 1 and 2 ran no test" },
  { number: 8, tier: 3, kind: "smoke", when: "if Tiers 1 and 2 ran no test" },
  { number: 9, tier: 4, kind: "readiness", when: "for a Large task, after the change" },
] as const;
export type CascadeKind = (typeof CASCADE_STEPS)[number]["kind"];

export interface CascadeCommand {
  readonly kind: CascadeKind;
  /** The name of its check, the same on the base and after the change. */
  readonly name: string;
  readonly tool: string;
  readonly command: readonly [string, ...string[]];
  readonly cwd?: string;
  readonly timeout_seconds?: number;
  readonly files?: Readonly<Record<string, string>>;
  /** Slipway's own choice, not the project's: without its program there is no result. */
  readonly optional: boolean;
}

const PARSE_SECONDS = 120;
const IMPORT_SECONDS = 60;

type PerKind = Partial<Record<FileKind, readonly [tool: string, ...command: [string, ...string[]]]>>;

const SYNTAX: PerKind = {
  javascript: ["node --check", "node", "-e", CHECK_JAVASCRIPT],
  typescript: ["node", "node", "-e", CHECK_TYPESCRIPT],
  python: ["py_compile", "python3", "-m", "py_compile"],
  go: ["gofmt", "gofmt", "-e", "-l"],
  rust: ["rustfmt", "rustfmt", "--edition", "2021", "--quiet", "--emit", "stdout"],
};

const IMPORT: PerKind = {
  javascript: ["node", "node", "-e", IMPORT_JAVASCRIPT],
  typescript: ["node", "node", "-e", IMPORT_JAVASCRIPT],
  python: ["python3", "python3", "-c", IMPORT_PYTHON],
};

/** The commands of Tiers 1 to 3 for the files that exist. Smoke scripts and what Slipway judges itself are not commands of a plan. */
export function planCascade(tooling: Tooling, paths: readonly string[]): readonly CascadeCommand[] {
  const tools = TOOL_KINDS.flatMap((kind) => tooling.tools.filter((tool) => tool.kind === kind)).map((tool) => ({
    ...tool,
    optional: false,
  }));
  return [
    ...perKind("syntax", SYNTAX, paths, PARSE_SECONDS),
    ...tools,
    ...perKind("import", IMPORT, paths.filter(isModule), IMPORT_SECONDS),
  ];
}

function perKind(kind: "syntax" | "import", table: PerKind, paths: readonly string[], timeout_seconds: number): CascadeCommand[] {
  return byKind(paths).flatMap((group) => {
    const entry = table[group.kind];
    if (entry === undefined) return [];
    const [tool, program, ...args] = entry;
    const files = group.paths.map((path) => `./${path}`);
    return [{ kind, name: `${kind}-${group.kind}`, tool, command: [program, ...args, ...files] as const, timeout_seconds, optional: true }];
  });
}

/** Loading a test or a configuration runs it; a name with other characters is no module of Python. */
function isModule(path: string): boolean {
  if (isTestFile(path) || /(?:^|\/)(?:setup|conftest|__main__|manage)\.py$|\.config\.[cm]?[jt]s$|\.d\.[cm]?ts$/.test(path)) return false;
  return !path.endsWith(".py") || /^(?:[A-Za-z_]\w*\/)*[A-Za-z_]\w*\.py$/.test(path);
}
