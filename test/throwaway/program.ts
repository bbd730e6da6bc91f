import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Project } from "slipway/testing/project";

const ROOT = join(import.meta.dirname, "..", "..");
const SOURCE = ["--conditions=slipway-source", "--disable-warning=ExperimentalWarning"];

export interface Program {
  /** Arguments for Node that start the program. */
  readonly launch: readonly string[];
  run(
    project: Project,
    argv: readonly string[],
    input?: string,
  ): { readonly code: number; readonly stdout: string; readonly stderr: string };
  remove(): void;
}

/** A copy of the sources with one more protocol: its folder, the files of its demo, and its entry in the list. */
export function programWith(name: string, folder: string): Program {
  const root = mkdtempSync(join(tmpdir(), "slipway-throwaway-"));
  const left = new Set(["node_modules", "dist", "coverage", "bundle", "demos", ".compiled"]);
  for (const part of readdirSync(join(ROOT, "packages"))) {
    const [from, to] = [join(ROOT, "packages", part), join(root, "packages", part)];
    cpSync(from, to, { recursive: true, filter: (path) => !left.has(path.slice(from.length + 1)) });
    linkAll(join(from, "node_modules"), join(to, "node_modules"), new Set());
  }
  linkAll(join(ROOT, "node_modules"), join(root, "node_modules"), new Set(["@slipway", "slipway"]));
  mkdirSync(join(root, "node_modules", "@slipway"));
  for (const part of readdirSync(join(ROOT, "packages")))
    symlinkSync(join(root, "packages", part), join(root, "node_modules", part === "cli" ? "slipway" : join("@slipway", part)));
  for (const part of ["package.json", "package-lock.json", "scripts", "docs"])
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  cpSync(join(folder, "protocol"), join(root, "packages/protocols/src", name), { recursive: true });
  cpSync(join(folder, "demo"), join(root, "packages/protocols/demos", name), { recursive: true });
  addEntry(join(root, "packages/protocols/src/protocols.ts"), name);
  execFileSync(process.execPath, [...SOURCE, join(root, "scripts/tools.mjs")], { cwd: root });
  const launch = [...SOURCE, join(root, "packages/cli/src/testing/launch.ts")];
  return {
    launch,
    run(project, argv, input = "") {
      const { status, stdout, stderr } = spawnSync(process.execPath, [...launch, ...argv], {
        cwd: project.root,
        env: project.env,
        input,
        encoding: "utf8",
      });
      return { code: status ?? -1, stdout, stderr };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** The two lines that CONTRIBUTING.md names. */
function addEntry(file: string, name: string): void {
  const text = readFileSync(file, "utf8")
    .replace("import type { ProtocolEntry }", `import { ${name} } from "./${name}/entry.ts";\nimport type { ProtocolEntry }`)
    .replace(/(readonly ProtocolEntry\[\] = \[[^\]]*)\]/, `$1, ${name}]`);
  writeFileSync(file, text);
}

function linkAll(from: string, to: string, except: ReadonlySet<string>): void {
  if (!existsSync(from)) return;
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true }).filter(({ name }) => !except.has(name)))
    symlinkSync(join(from, entry.name), join(to, entry.name));
}
