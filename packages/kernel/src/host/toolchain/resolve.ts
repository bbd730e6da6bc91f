import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { placesIn, type Environment } from "../places.ts";
import { isBelow } from "../sandbox/arguments.ts";
import { findOnPath } from "../sandbox/host.ts";
import { kindAt, realPathOrNull } from "../sandbox/paths.ts";
import { withoutShims } from "./shims.ts";
import {
  findInstalled,
  installationAround,
  managersOf,
  nvmAlias,
  type Installation,
  type Manager,
  type InstalledTool,
} from "./installations.ts";
import { satisfies } from "./version-range.ts";
import type { WantedVersion, WantedVersions } from "./version-files.ts";

/** The programs that the steps of a gate use. */
export interface Toolchain {
  /** The folders of PATH for a step without its own PATH; Slipway's own Node comes last. */
  readonly path: readonly string[];
  /** Texts about requested versions that are not available. */
  readonly notes: readonly string[];
  /** The further paths that the sandbox must show for the programs in these folders. */
  readonly shownFor: (path: string) => readonly string[];
}

export interface ToolchainRequest {
  /** The environment of the Slipway process. */
  readonly env: Environment;
  /** Whether the policy passes the caller's PATH to steps. */
  readonly inheritsPath: boolean;
  readonly wanted: WantedVersions;
  /** Folders of the checkout that are mounted for gates. */
  readonly shared: readonly string[];
  /** The Node that runs Slipway, by its real path. */
  readonly own: { readonly program: string; readonly version: string };
  readonly versionOf: (program: string, readOnly: readonly string[]) => Promise<string | null>;
}

/** Virtual environments first, then the versions in version files, then the caller's PATH. */
export async function resolveToolchain(request: ToolchainRequest): Promise<Toolchain> {
  const { env, wanted, shared, own } = request;
  const managers = managersOf(env);
  const caller = withoutShims(request.inheritsPath ? foldersOf(env["PATH"]) : [], { managers, wanted, env });
  const environments = shared.filter((folder) => kindAt(join(folder, "pyvenv.cfg")) === "file");
  const shownFor = (path: string) => shown(path.split(delimiter), { managers, environments, env });
  const choose = (tool: InstalledTool, fallback: Installation | null) =>
    versioned(tool, wanted[tool], fallback, { managers, caller, shownFor, versionOf: request.versionOf });
  const node = await choose("node", { version: own.version, bin: dirname(own.program), root: dirname(own.program) });
  const python = environments.length > 0 ? FOUND : await choose("python", null);
  const path = [...environments.map((folder) => join(folder, "bin")), ...node.bin, ...python.bin, ...caller];
  return { path: [...new Set(path)], notes: [...node.notes, ...python.notes], shownFor };
}

function foldersOf(path: string | undefined): string[] {
  return (path ?? "").split(delimiter).filter(isAbsolute);
}

interface Choice {
  readonly bin: readonly string[];
  readonly notes: readonly string[];
}

const FOUND: Choice = { bin: [], notes: [] };
const PROGRAMS: Readonly<Record<InstalledTool, readonly string[]>> = { node: ["node"], python: ["python3", "python"] };

interface Machine extends Pick<Toolchain, "shownFor">, Pick<ToolchainRequest, "versionOf"> {
  readonly managers: readonly Manager[];
  readonly caller: readonly string[];
}

/** The caller's program if its version matches, else the newest installed match, else Slipway's own if it matches. */
async function versioned(tool: InstalledTool, wanted: WantedVersion | null, last: Installation | null, machine: Machine): Promise<Choice> {
  if (wanted === null || wanted.version === "system") return FOUND;
  const { managers, caller, shownFor, versionOf } = machine;
  const version = nvmAlias(
    managers.filter((manager) => manager.tool === tool),
    wanted.version,
  );
  const program = PROGRAMS[tool].map((name) => findOnPath(name, caller.join(delimiter))).find((found) => found !== null);
  const callers = program == null ? null : await versionOf(program, shownFor(dirname(program)));
  if (callers !== null && satisfies(callers, version) === true) return FOUND;
  const installed = findInstalled(managers, tool, version);
  if (installed !== null) return { bin: [installed.bin], notes: [] };
  if (last !== null && satisfies(last.version, version) === true) return { bin: [last.bin], notes: [] };
  const instead = callers === null ? "there is none on your PATH" : `your PATH has ${callers}`;
  return { bin: [], notes: [`${wanted.file} asks for ${tool} ${wanted.version}, which is not installed where Slipway looks; ${instead}.`] };
}

interface Sight {
  readonly managers: readonly Manager[];
  readonly environments: readonly string[];
  readonly env: Environment;
}

function shown(folders: readonly string[], { managers, environments, env }: Sight): string[] {
  const own = environments.filter((folder) => folders.includes(join(folder, "bin")));
  const interpreters = own.flatMap((folder) => realPathOrNull(join(folder, "bin", "python")) ?? []).map(dirname);
  const roots = [...folders, ...interpreters].flatMap((folder) => installationAround(managers, folder) ?? []);
  return [...new Set([...own, ...roots])].filter((root) => !holdsSecrets(root, env));
}

/** The home folder and the approval keys are never shown, whatever the variables of a version manager say. */
function holdsSecrets(root: string, env: Environment): boolean {
  const places = [env["HOME"] ?? homedir(), join(placesIn(env).configHome, "slipway", "keys")];
  return places.some((place) => isBelow(root, realPathOrNull(place) ?? place));
}
