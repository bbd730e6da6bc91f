import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, globSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * A copy of the sources as they stand, with the installed packages, in which lines may be broken: the checkout is never touched. It has no
 * build, so that programs started by tests run the broken sources.
 */
export function copyOf(root: string): { readonly folder: string; remove(): void } {
  const place = mkdtempSync(join(tmpdir(), "slipway-mutants-"));
  // Some tests run programs of the sources as another user.
  chmodSync(place, 0o755);
  const folder = join(place, "copy");
  execFileSync("git", ["clone", "--quiet", "--no-hardlinks", root, folder]);
  for (const path of changedPaths(root)) {
    rmSync(join(folder, path), { force: true });
    if (!existsSync(join(root, path))) continue;
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  // Links between the workspaces are relative, so they lead into the copy.
  for (const modules of ["node_modules", ...globSync("packages/*/node_modules", { cwd: root })])
    execFileSync("cp", ["-a", "--reflink=auto", join(root, modules), join(folder, modules)]);
  return { folder, remove: () => rmSync(place, { recursive: true, force: true }) };
}

/** Not committed yet: a new test counts at once. */
function changedPaths(root: string): string[] {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
  return [...git("diff", "--name-only", "-z", "HEAD"), ...git("ls-files", "--others", "--exclude-standard", "-z")];
}
