import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { ScratchKernel } from "./scratch-kernel.ts";

/** Performs a call in another process, which is killed before the call is recorded. Returns the signal that ended it. */
export function killAfterEffect(
  { root }: Pick<ScratchKernel, "root">,
  operation: "tagBase" | "stage" | "revertFiles",
  operationId: string,
  input: unknown,
): string | null {
  const script = join(import.meta.dirname, "killed-child.ts");
  const args = ["--conditions=slipway-source", script, root, operation, operationId, JSON.stringify(input)];
  return spawnSync(process.execPath, args, { timeout: 60_000, stdio: ["ignore", "inherit", "inherit"] }).signal;
}
