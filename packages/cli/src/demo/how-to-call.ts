import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Io } from "@slipway/protocols/surface/io";

const OWN_PATH = join(import.meta.dirname, "..", "..", "bin", "slipway.mjs");

/** How to call Slipway if `slipway` is not on the PATH. */
export function howToCall(io: Io): string {
  return onPath(io) ? "" : ` (\`slipway\` is ${OWN_PATH})`;
}

/** Ignores the folders that npm adds for its scripts. */
function onPath(io: Io): boolean {
  const folders = (io.env["PATH"] ?? "").split(delimiter);
  return folders.some((folder) => !folder.includes("node_modules") && existsSync(join(folder, "slipway")));
}
