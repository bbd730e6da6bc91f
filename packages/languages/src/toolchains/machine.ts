import { readFileSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import type { Environment } from "@slipway/kernel/host/places";
import { findOnPath } from "@slipway/kernel/host/sandbox/host";
import { kindAt } from "@slipway/kernel/host/sandbox/paths";
import { resolveToolchain } from "@slipway/kernel/host/toolchain/resolve";

/** What an adapter may use of the machine. */
export interface LanguageMachine {
  readonly env: Environment;
  /** Folders called node_modules in which a language server may be installed. */
  readonly packages?: readonly string[];
  /** A folder in which compilers keep what they can use again. Tests cannot write there. By default nothing is kept. */
  readonly cache?: string;
  /** Folders of the system's programs; by default those that every sandbox has. */
  readonly system?: readonly string[];
}

/** The programs of a machine, as commands in the sandbox find them. */
export interface Programs {
  /** The value of PATH. */
  readonly path: string;
  find(program: string): string | null;
  /** The host paths that the sandbox must show for a program. */
  shownFor(program: string): readonly string[];
}

const SYSTEM = ["/usr/local/bin", "/usr/bin", "/bin"];
const known = new WeakMap<LanguageMachine, Promise<Programs>>();

export function programsOf(machine: LanguageMachine): Promise<Programs> {
  const found = known.get(machine) ?? readPrograms(machine);
  known.set(machine, found);
  return found;
}

async function readPrograms({ env, packages = [], system = SYSTEM }: LanguageMachine): Promise<Programs> {
  const { path: folders, shownFor } = await resolveToolchain({
    env,
    inheritsPath: true,
    wanted: { node: null, python: null, tools: [] },
    shared: [],
    own: { program: realpathSync(process.execPath), version: process.versions.node },
    versionOf: () => Promise.resolve(null),
  });
  const own = packages.map((folder) => join(folder, ".bin"));
  const path = [...new Set([...own, ...rustFolder(env), ...folders.filter((folder) => !isProxyFolder(folder, env)), ...system])];
  const text = path.join(delimiter);
  return {
    path: text,
    find: (program) => findOnPath(program, text),
    shownFor(program) {
      const place = findOnPath(program, text);
      return place === null ? [] : shownFor(dirname(place));
    },
  };
}

function cargoHome(env: Environment): string {
  return env["CARGO_HOME"] ?? join(env["HOME"] ?? homedir(), ".cargo");
}

/** rustup's `cargo` only starts another one, by files that the sandbox does not show. */
function isProxyFolder(folder: string, env: Environment): boolean {
  return folder === join(cargoHome(env), "bin") && kindAt(join(folder, "rustup")) !== "missing";
}

function rustFolder(env: Environment): string[] {
  const home = env["RUSTUP_HOME"] ?? join(env["HOME"] ?? homedir(), ".rustup");
  const name = env["RUSTUP_TOOLCHAIN"] ?? /^default_toolchain\s*=\s*"([\w.-]+)"/m.exec(textAt(join(home, "settings.toml")))?.[1];
  const bin = name === undefined ? null : join(home, "toolchains", name, "bin");
  return bin !== null && kindAt(bin) === "folder" ? [bin] : [];
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
