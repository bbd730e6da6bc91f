// Puts the tests' temporary files into memory if there is enough: they write, sync and delete a lot.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const ENOUGH_BYTES = 6 * 1024 ** 3;
const MOUNTED = 'mount -t tmpfs -o mode=1777,size=4g slipway-tests "$0" && TMPDIR="$0" exec "$@"';

/** Runs the command in its own mount namespace, so that the mount ends with it. Runs it unchanged if that is not possible. */
export function withFilesInMemory() {
  const asItWas = { wrap: (command, args) => [command, args], remove: () => undefined };
  if (process.platform !== "linux" || process.getuid() !== 0 || freemem() < ENOUGH_BYTES) return asItWas;
  // Short, because socket paths have a length limit.
  const folder = mkdtempSync(join(tmpdir(), "t-"));
  const inside = (command, args) => ["unshare", ["--mount", "sh", "-c", MOUNTED, folder, command, ...args]];
  const remove = () => rmdirSync(folder);
  const { status } = spawnSync(...inside("true", []), { stdio: "ignore" });
  if (status === 0) return { wrap: inside, remove };
  remove();
  return asItWas;
}
