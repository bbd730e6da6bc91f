import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../places.ts";
import { findExact, findInstalled, installationAt, type Installation, type Manager } from "./installations.ts";
import { firstLine, toolLines, type WantedVersions } from "./version-files.ts";

/**
 * Replaces folders of shims. A shim is a small program that looks up the version in files that the sandbox does not show, so the folder
 * of the version that it would start is used instead.
 */
export function withoutShims(
  folders: readonly string[],
  { managers, wanted, env }: { readonly managers: readonly Manager[]; readonly wanted: WantedVersions; readonly env: Environment },
): string[] {
  return folders.flatMap((folder) => {
    const manager = managers.find(({ root, shims }) => folder === join(root, shims === "platform-file" ? "bin" : "shims"));
    return manager === undefined ? [folder] : [...behindShims(manager, wanted, env).map(({ bin }) => bin), folder];
  });
}

function behindShims(manager: Manager, wanted: WantedVersions, env: Environment): Installation[] {
  const { root, folder, tool, shims } = manager;
  if (tool === "any") {
    const usual = toolLines(textAt(join(env["HOME"] ?? homedir(), ".tool-versions")));
    const tools = new Map([...usual, ...wanted.tools].map(({ tool: name, version }) => [name, version]));
    return [...tools].flatMap(([name, version]) => present(findExact(manager, name, version)));
  }
  const usual =
    shims === "version-file"
      ? (env["PYENV_VERSION"] ?? firstLine(textAt(join(root, "version"))))
      : (/"runtime"\s*:\s*"(\d+\.\d+\.\d+)"/.exec(textAt(join(root, "tools/user/platform.json")))?.[1] ?? null);
  const version = wanted[tool]?.version ?? usual;
  return present(version === null ? null : (installationAt(join(folder, version), version) ?? findInstalled([manager], tool, version)));
}

function present(found: Installation | null): Installation[] {
  return found === null ? [] : [found];
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
