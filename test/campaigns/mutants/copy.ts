import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A copy of the committed sources with the installed packages, in which lines may be broken: the checkout is never touched. */
export function copyOf(root: string): { readonly folder: string; remove(): void } {
  const place = mkdtempSync(join(tmpdir(), "slipway-mutants-"));
  const folder = join(place, "copy");
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", root, folder]);
  // Links between the workspaces are relative, so they lead into the copy.
  execFileSync("cp", ["-a", "--reflink=auto", join(root, "node_modules"), folder]);
  return { folder, remove: () => rmSync(place, { recursive: true, force: true }) };
}
