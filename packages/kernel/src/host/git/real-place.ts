import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The path with links resolved in its existing part. */
export async function realPlace(path: string): Promise<string> {
  const real = await realpath(path).catch(() => undefined);
  return real ?? join(await realPlace(dirname(path)), basename(path));
}
