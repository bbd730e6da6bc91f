import { join } from "node:path";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { assertStateVersion, STATE_FILE } from "../machine/state-file.ts";

/** Refuses to continue a run whose state file another version of Slipway wrote: it would be replaced. */
export async function assertReadableState(folder: string): Promise<void> {
  const path = join(folder, STATE_FILE);
  // What cannot be read is reported when it is written.
  const bytes = await nodeFileSystem.read(path).catch(() => null);
  if (bytes !== null) assertStateVersion(Buffer.from(bytes).toString("utf8"), path);
}
