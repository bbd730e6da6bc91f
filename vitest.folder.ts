import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Whatever the tests of one run leave behind lies in one folder, and goes with it. */
export default function ownTemporaryFolder(): () => void {
  // Short, because paths of sockets may not be long.
  const folder = mkdtempSync(join(tmpdir(), "sw-"));
  // Some tests run programs as another user.
  chmodSync(folder, 0o755);
  process.env["TMPDIR"] = folder;
  // The programs that tests start from the sources: types are stripped, and modules compiled, once for all of them.
  process.env["NODE_COMPILE_CACHE"] = join(import.meta.dirname, ".compiled");
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
