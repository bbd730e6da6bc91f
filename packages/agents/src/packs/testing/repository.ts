import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { openRepository, type Repository } from "@slipway/kernel/host/git/repository";
import { afterAll } from "vitest";
import { planPack, type PackContents } from "../plan.ts";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import { listTree } from "../source.ts";
import { packStore, type PackStoreOptions, type OpenPack } from "../store.ts";

export interface PackYard {
  readonly root: string;
  readonly repo: Repository;
  readonly tree: string;
  /** The folder of packs and cached contents. */
  readonly packs: string;
  git(...args: string[]): string;
  contents(rules: readonly PackRule[]): Promise<PackContents>;
  open(rules: readonly PackRule[], options?: Partial<PackStoreOptions>): Promise<OpenPack>;
}

export const CLOCK = { now: () => 1_700_000_000_000 };
export const ALL: PackRule = { path: ".", level: "FULL", permission: "read", reason: "the repository" };
export const write = (path: string): PackRule => ({ path, level: "FULL", permission: "write", reason: "the plan" });

const made: string[] = [];
afterAll(() => {
  for (const root of made.splice(0)) rmSync(root, { recursive: true, force: true });
});

type Content = string | Uint8Array | { readonly link: string } | { readonly script: string };

/** A real repository with one commit, and packs made from it. */
export async function packYard(files: Readonly<Record<string, Content>>): Promise<PackYard> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "slipway-packs-")));
  made.push(root);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=kim", "-c", "user.email=kim@localhost", ...args], { cwd: root, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  for (const [path, content] of Object.entries(files)) put(join(root, path), content);
  git("add", "--all");
  git("commit", "--quiet", "--allow-empty", "--message=start");
  const repo = await openRepository(root);
  const tree = git("rev-parse", "HEAD^{tree}").trim();
  const packs = join(root, ".slipway", "packs");
  let number = 0;
  const contents = async (rules: readonly PackRule[]) => ({
    ...(await listTree(repo, tree)),
    tree,
    rules,
    objectFormat: repo.objectFormat,
  });
  return {
    root,
    repo,
    tree,
    packs,
    git,
    contents,
    open: async (rules, options) =>
      packStore(repo, packs, CLOCK).open(planPack(await contents(rules)), { id: `p${(number += 1)}`, links: true, ...options }),
  };
}

function put(path: string, content: Content): void {
  mkdirSync(dirname(path), { recursive: true });
  if (typeof content === "object" && "link" in content) return symlinkSync(content.link, path);
  const isScript = typeof content === "object" && "script" in content;
  writeFileSync(path, isScript ? content.script : content);
  if (isScript) chmodSync(path, 0o755);
}
