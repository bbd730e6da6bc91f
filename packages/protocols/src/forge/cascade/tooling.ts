import { GATES_FILE, gatesSchema } from "@slipway/kernel/config/gates";
import { parseYamlConfig } from "@slipway/kernel/config/yaml";
import { goTools, javaTools, rustTools } from "./tooling-compiled.ts";
import { nodeTools } from "./tooling-node.ts";
import { pythonTools } from "./tooling-python.ts";

/** The checks of Tier 2, in the order in which they run. */
export const TOOL_KINDS = ["build", "typecheck", "lint", "tests"] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

export interface ProjectCommand {
  readonly kind: ToolKind;
  readonly tool: string;
  readonly command: readonly [string, ...string[]];
}

/** A command with the name of its check, which is the same on the base and after a change. */
export interface NamedTool extends ProjectCommand {
  readonly name: string;
  readonly cwd?: string;
  readonly timeout_seconds?: number;
}

/** What a project has to check itself with. */
export interface Tooling {
  readonly tools: readonly NamedTool[];
  /** What was found and left out, with the reason. */
  readonly notes: readonly string[];
}

/** The files of one project, below its folder. */
export interface ProjectFiles {
  readonly paths: readonly string[];
  has(path: string): boolean;
  /** Empty if there is no such text file. */
  text(path: string): Promise<string>;
}

type Detect = (project: ProjectFiles) => Promise<readonly ProjectCommand[]>;

interface Ecosystem {
  readonly name: string;
  /** A folder with one of these files is a project. */
  readonly markers: readonly string[];
  /** Without a marker, the root is a project if it has such a file. */
  readonly sources?: RegExp;
  readonly detect: Detect;
}

const ECOSYSTEMS: readonly Ecosystem[] = [
  { name: "node", markers: ["package.json"], sources: /\.test\.[cm]?js$/, detect: nodeTools },
  {
    name: "python",
    markers: ["pyproject.toml", "setup.py", "setup.cfg", "requirements.txt", "pytest.ini", "tox.ini"],
    sources: /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/,
    detect: pythonTools,
  },
  { name: "go", markers: ["go.mod"], detect: goTools },
  { name: "rust", markers: ["Cargo.toml"], detect: rustTools },
  { name: "java", markers: ["pom.xml", "build.gradle", "build.gradle.kts"], detect: javaTools },
];

export type ReadText = (path: string) => Promise<string | null>;

/** Finds the tools of a tree from its own files. A fast mode in gates.yaml replaces the discovered test commands. */
export async function discoverTooling(paths: readonly string[], read: ReadText): Promise<Tooling> {
  const found: NamedTool[] = [];
  for (const ecosystem of ECOSYSTEMS) {
    for (const folder of projectFolders(paths, ecosystem)) {
      const name = [ecosystem.name, ...folder.split("/")]
        .filter((part) => part !== "")
        .map(slug)
        .join("-");
      const tools = await ecosystem.detect(viewOf(paths, read, folder));
      found.push(...tools.map((tool) => ({ ...tool, name: `${tool.kind}-${name}`, ...(folder === "" ? {} : { cwd: folder }) })));
    }
  }
  const { steps, notes } = fastSteps(await read(GATES_FILE));
  if (steps.length === 0) return { tools: found, notes };
  const isStep = (tool: NamedTool) => steps.some((step) => key(step) === key(tool));
  return { tools: [...found.filter((tool) => tool.kind !== "tests" && !isStep(tool)), ...steps], notes };
}

const key = ({ command, cwd = "." }: NamedTool) => JSON.stringify([command, cwd]);

/** Folders with examples, copies or build output hold no project of their own. */
const PASSED_OVER = /^(?:\..*|node_modules|vendor|third_party|examples?|samples?|demos?|fixtures|testdata|tests?|docs?|dist|build|target)$/;
const MAX_PROJECTS = 8;

/** The root if it is a project; otherwise the projects up to two folders below it. */
function projectFolders(paths: readonly string[], { markers, sources }: Ecosystem): string[] {
  const folders = paths.flatMap((path) => {
    const parts = path.split("/");
    const name = parts.pop() ?? "";
    const fits = markers.includes(name) && parts.length <= 2 && !parts.some((part) => PASSED_OVER.test(part));
    return fits ? [parts.join("/")] : [];
  });
  if (folders.includes("")) return [""];
  if (folders.length > 0) return [...new Set(folders)].toSorted().slice(0, MAX_PROJECTS);
  return sources !== undefined && paths.some((path) => sources.test(path)) ? [""] : [];
}

function viewOf(paths: readonly string[], read: ReadText, folder: string): ProjectFiles {
  const prefix = folder === "" ? "" : `${folder}/`;
  const own = paths.filter((path) => path.startsWith(prefix)).map((path) => path.slice(prefix.length));
  const known = new Set(own);
  return {
    paths: own,
    has: (path) => known.has(path),
    text: async (path) => (known.has(path) ? ((await read(prefix + path)) ?? "") : ""),
  };
}

/** The steps of the fast mode as test commands, or none. They run apart from one another and without a network. */
function fastSteps(text: string | null): { readonly steps: readonly NamedTool[]; readonly notes: readonly string[] } {
  if (text === null) return { steps: [], notes: [] };
  const parsed = parsedGates(text);
  if (parsed === null) return leftOut("the file is not valid");
  const profile = parsed.profiles["default"] ?? Object.values(parsed.profiles)[0];
  const fast = profile?.modes.fast ?? [];
  if (fast.some(({ produces = [] }) => produces.length > 0)) return leftOut("its steps hand files to one another");
  const local = fast.filter(({ network }) => network !== true);
  const steps = local.map(({ name, cmd, cwd, env = {}, timeout_seconds }) => {
    const variables = Object.entries(env).map(([variable, value]) => `${variable}=${value}`);
    return {
      kind: "tests" as const,
      name: `tests-fast-${slug(name)}`,
      tool: cmd[0] ?? "",
      command: (variables.length === 0 ? cmd : ["env", ...variables, ...cmd]) as [string, ...string[]],
      ...(cwd === undefined ? {} : { cwd }),
      ...(timeout_seconds === undefined ? {} : { timeout_seconds: Math.ceil(timeout_seconds) }),
    };
  });
  const remote = fast.filter(({ network }) => network === true);
  return { steps, notes: remote.map(({ name }) => `The step "${name}" of ${GATES_FILE} is left out: it needs the network.`) };
}

function leftOut(why: string) {
  return { steps: [], notes: [`The fast mode of ${GATES_FILE} is not used: ${why}.`] };
}

function parsedGates(text: string) {
  try {
    return parseYamlConfig(GATES_FILE, text, gatesSchema);
  } catch {
    return null;
  }
}

function slug(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return plain.replaceAll(/^-|-$/g, "") || "step";
}
