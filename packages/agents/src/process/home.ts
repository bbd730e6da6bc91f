import { makeTemporaryFolder, removeAbandonedFolders } from "@slipway/kernel/host/files/temporary-folder";
import { removeTree } from "@slipway/kernel/host/files/remove-tree";

let tidied: Promise<void> | null = null;

/**
 * A HOME for one process of an agent, which may hold its sign-in. Its launcher removes it if Slipway is killed; the next call removes what
 * is left of a Slipway that was killed together with the launcher, or before the process began.
 */
export async function withHome<T>(purpose: "home" | "acp" | "shell", work: (home: string) => Promise<T>): Promise<T> {
  await (tidied ??= removeAbandonedFolders());
  const home = await makeTemporaryFolder(purpose);
  try {
    return await work(home);
  } finally {
    await removeTree(home);
  }
}
