import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSandbox } from "../sandbox.ts";
import { unsandboxed } from "../unsandboxed.ts";

/** Started by a test with an open host descriptor; prints the descriptors that a command sees. */
const worktree = mkdtempSync(join(tmpdir(), "slipway-inherited-"));
const sandbox = process.argv[2] === "none" ? unsandboxed({ reason: "test", by: "test" }) : await openSandbox();
let seen = "";
await sandbox.run({
  worktree,
  command: ["sh", "-c", "for f in /proc/self/fd/*; do readlink $f; done"],
  timeoutMs: 10_000,
  onOutput: (_, chunk) => (seen += Buffer.from(chunk).toString("utf8")),
});
rmSync(worktree, { recursive: true });
console.log(seen);
