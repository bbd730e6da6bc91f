import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, onTestFinished } from "vitest";
import { openRepository, type Repository } from "../repository.ts";

/** A real repository in a temporary folder, and plain git beside the runner under test. */
export interface Scratch {
  readonly root: string;
  git(...args: string[]): string;
  write(path: string, content: string | Uint8Array, mode?: number): void;
  link(path: string, target: string): void;
  read(path: string): Buffer;
  remove(path: string): void;
  exists(path: string): boolean;
  commit(message?: string): string;
  open(): Promise<Repository>;
}

const ENV = {
  PATH: process.env["PATH"] ?? "",
  HOME: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Ada",
  GIT_AUTHOR_EMAIL: "ada@example.org",
  GIT_COMMITTER_NAME: "Ada",
  GIT_COMMITTER_EMAIL: "ada@example.org",
};

export function plainGit(cwd: string, args: readonly string[], input?: Uint8Array | string): string {
  return execFileSync("git", [...args], {
    cwd,
    env: ENV,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "pipe"],
    maxBuffer: 1 << 28,
    ...(input === undefined ? {} : { input }),
  });
}

export function temporaryFolder(parent = tmpdir()): string {
  const folder = realpathSync(mkdtempSync(join(parent, "slipway-git-")));
  try {
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  } catch {
    // Created before the tests and shared by several.
    shared.push(folder);
  }
  return folder;
}

export const FILES: Readonly<Record<string, string>> = {
  "README.md": "# Demo\n\nA small project.\n",
  "src/index.ts": 'import { add } from "./add.ts";\n\nexport const answer = add(40, 2);\n',
  "src/add.ts": "export function add(a: number, b: number): number {\n  return a + b;\n}\n",
  ".gitignore": "dist/\n*.log\n",
};

const templates = new Map<string, string>();
const shared: string[] = [];
afterAll(() => {
  for (const folder of [...templates.values(), ...shared.splice(0)]) rmSync(folder, { recursive: true, force: true });
  templates.clear();
});

/** A repository with one commit. Made once per set of files, then copied, which is faster than git. */
export function scratch(files: Readonly<Record<string, string | Uint8Array>> = FILES, init: readonly string[] = []): Scratch {
  const key = JSON.stringify([files, init]);
  let template = templates.get(key);
  if (template === undefined) {
    template = realpathSync(mkdtempSync(join(tmpdir(), "slipway-git-template-")));
    templates.set(key, template);
    const made = bareScratch(template, init);
    for (const [path, content] of Object.entries(files)) made.write(path, content);
    made.commit("start");
  }
  const root = join(temporaryFolder(), "repo");
  cpSync(template, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  return at(root);
}

/** A repository without a commit. */
export function bareScratch(root: string, init: readonly string[] = []): Scratch {
  mkdirSync(root, { recursive: true });
  plainGit(root, ["init", "-q", "-b", "main", "--template=", ...init]);
  mkdirSync(join(at(root).git("rev-parse", "--absolute-git-dir"), "info"), { recursive: true });
  return at(root);
}

export function at(root: string): Scratch {
  const full = (path: string) => join(root, path);
  const self: Scratch = {
    root,
    git: (...args) => plainGit(root, args).trimEnd(),
    write(path, content, mode = 0o644) {
      mkdirSync(dirname(full(path)), { recursive: true });
      writeFileSync(full(path), content);
      chmodSync(full(path), mode);
    },
    link(path, target) {
      mkdirSync(dirname(full(path)), { recursive: true });
      symlinkSync(target, full(path));
    },
    read: (path) => readFileSync(full(path)),
    remove: (path) => rmSync(full(path), { recursive: true, force: true }),
    exists: (path) => existsSync(full(path)),
    commit(message = "change") {
      plainGit(root, ["add", "-A"]);
      plainGit(root, ["commit", "-q", "--allow-empty", "-m", message]);
      return self.git("rev-parse", "HEAD");
    },
    open: () => openRepository(root),
  };
  return self;
}

/** Every file below a folder with its type, mode and content, except git's own. */
export function contents(root: string, folder = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(join(root, folder))) {
    if (folder === "" && (name === ".git" || name === ".slipway" || name === ".worktrees")) continue;
    const path = folder === "" ? name : `${folder}/${name}`;
    const stats = lstatSync(join(root, path));
    if (stats.isDirectory()) Object.assign(found, contents(root, path));
    else if (!stats.isFile() && !stats.isSymbolicLink()) found[path] = "neither file nor link";
    else if (stats.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(root, path))}`;
    else found[path] = `${(stats.mode & 0o111) === 0 ? "-" : "x"} ${readFileSync(join(root, path)).toString("latin1")}`;
  }
  return found;
}

/** The files of a tree, read with plain git, in the form of `contents`. */
export function treeContents(root: string, treeish: string): Record<string, string> {
  const listing = plainGit(root, ["ls-tree", "-r", "-z", treeish])
    .split("\0")
    .filter((line) => line !== "");
  return Object.fromEntries(
    listing.map((line) => {
      const [meta = "", path = ""] = line.split("\t");
      const [mode, , oid = ""] = meta.split(" ");
      const bytes = mode === "160000" ? Buffer.from(oid) : execFileSync("git", ["cat-file", "blob", oid], { cwd: root, env: ENV });
      return [
        path,
        mode === "120000"
          ? `-> ${bytes}`
          : `${mode === "100755" ? "x" : mode === "160000" ? "submodule" : "-"} ${bytes.toString("latin1")}`,
      ];
    }),
  );
}

export const AT = Date.UTC(2026, 0, 2, 3, 4, 5);
