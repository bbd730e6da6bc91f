// Where the tests keep their temporary files: in memory, where there is enough of it. They write, sync and throw away a lot.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { join } from "node:path";

const ENOUGH_BYTES = 6 * 1024 ** 3;
const MOUNTED = 'mount -t tmpfs -o mode=1777,size=4g slipway-tests "$0" && TMPDIR="$0" exec "$@"';

/**
 * The command in a mount namespace of its own, so that what is mounted there ends with it, however it ends. As it was, where that
 * cannot be had.
 */
export function withFilesInMemory() {
  const asItWas = { wrap: (command, args) => [command, args], remove: () => undefined };
  if (process.platform !== "linux" || process.getuid() !== 0 || freemem() < ENOUGH_BYTES) return asItWas;
  // Short, because paths of sockets may not be long.
  const folder = mkdtempSync(join(tmpdir(), "t-"));
  const inside = (command, args) => ["unshare", ["--mount", "sh", "-c", MOUNTED, folder, command, ...args]];
  const remove = () => rmdirSync(folder);
  const { status } = spawnSync(...inside("true", []), { stdio: "ignore" });
  if (status === 0) return { wrap: inside, remove };
  remove();
  return asItWas;
}
