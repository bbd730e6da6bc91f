import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const CLI = join(import.meta.dirname, "..", "..");
const PACKAGES = join(CLI, "..");

/** The build is newer than every source. */
export const IS_BUILT = isBuilt();

/** Arguments for Node: the built program if it is current, otherwise the sources, which load more slowly. */
export const PROGRAM: readonly string[] = IS_BUILT
  ? [join(CLI, "bin", "slipway.mjs")]
  : ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning", join(import.meta.dirname, "launch.ts")];

function isBuilt(): boolean {
  const built = statSync(join(CLI, "bundle", "built.json"), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return readdirSync(PACKAGES).every((name) =>
    readdirSync(join(PACKAGES, name, "src"), { recursive: true, withFileTypes: true }).every(
      (entry) => !entry.isFile() || entry.name.endsWith(".test.ts") || statSync(join(entry.parentPath, entry.name)).mtimeMs < built,
    ),
  );
}
