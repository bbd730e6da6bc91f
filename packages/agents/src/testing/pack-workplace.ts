import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { openRepository, type Repository } from "@slipway/kernel/host/git/repository";
import { planPack } from "../packs/plan.ts";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import { givenFiles } from "../packs/source.ts";
import { packStore, type OpenPack } from "../packs/store.ts";
import type { Workplace } from "../provider.ts";
import { plainProcess } from "./plain-process.ts";
import { scratch } from "./samples.ts";

let repository: Promise<Repository> | null = null;
let opened = 0;

const EVERYTHING: PackRule = { path: ".", level: "FULL", permission: "write", reason: "the whole of it" };

/** A real context pack with these files in it; its processes run without the sandbox. */
export async function packWorkplace(
  files: Readonly<Record<string, string | Uint8Array>>,
  rules: readonly PackRule[] = [EVERYTHING],
): Promise<{ readonly workplace: Workplace; readonly pack: OpenPack }> {
  const repo = await (repository ??= emptyRepository());
  const { objectFormat } = repo;
  const plan = planPack({ tree: null, rules, files: givenFiles(files, objectFormat), others: [], objectFormat });
  const store = packStore(repo, join(repo.root, "packs"), { now: Date.now });
  const pack = await store.open(plan, { id: `pack-${opened++}`, links: false });
  return { pack, workplace: { folder: pack.folder, tree: pack.tree, run: plainProcess(pack.folder) } };
}

function emptyRepository(): Promise<Repository> {
  const root = scratch("packs");
  const git = (...args: readonly string[]) =>
    execFileSync("git", ["-C", root, "-c", "user.name=Ada", "-c", "user.email=ada@example.org", ...args]);
  git("init", "--quiet");
  git("commit", "--quiet", "--allow-empty", "--message=start");
  return openRepository(root);
}
