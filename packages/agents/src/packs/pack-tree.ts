import { SlipwayError } from "../errors.ts";
import type { Git } from "@slipway/kernel/host/git/runner";
import { visible } from "@slipway/kernel/paths/paths";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import { missing, readBelow } from "@slipway/kernel/host/file-views/files";
import { folderTree } from "@slipway/kernel/host/file-views/folder-tree";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import { contextPackTree } from "@slipway/kernel/host/file-views/ruled-tree";
import type { StandingPack } from "./materialise.ts";
import type { ReadLog } from "./read-log.ts";

/** The pack as a file tree for tools: applies its rules and logs reads. */
export function packTree({ folder, plan }: Pick<StandingPack, "folder" | "plan">, log: ReadLog, git: () => Promise<Git>): FileTree {
  const executable = new Map(plan.files.map((file) => [file.path, file.executable]));
  const inner = folderTree({ folder, git, executable: (path) => executable.get(path) ?? false });
  const seen = {
    ...inner,
    async read(path: string) {
      const content = await inner.read(path);
      log.add("read", path, content);
      return content;
    },
    async edit(path: string, before: string, after: string) {
      log.add("edit", path, readBelow(folder, path));
      await inner.edit(path, before, after);
    },
  };
  // The folder contains the summary instead of the file, so it is read like any other file.
  const rules = plan.rules.map((rule): PackRule =>
    rule.level === "SUMMARY_ONLY" ? { path: rule.path, reason: rule.reason, level: "FULL", permission: "read" } : rule,
  );
  const ruled = contextPackTree(seen, { rules, named: (path) => onlyNamed(plan, path), writable: plan.writable });
  return {
    ...ruled,
    async grep(pattern, options) {
      const hits = await ruled.grep(pattern, options);
      for (const hit of new Set(hits.map((found) => found.path))) log.add("grep", hit, readBelow(folder, hit));
      return hits;
    },
  };
}

function onlyNamed({ manifest }: StandingPack["plan"], path: string): SlipwayError {
  const entry = manifest.included.find((found) => found.path === path);
  if (entry === undefined) return missing(path);
  return new SlipwayError(
    "policy_violation",
    `The pack has only the metadata of ${visible(path)}: ${entry.bytes} bytes, ${String(entry.digest)}.`,
    { path, suggested_next_actions: ["Work without it, or ask for it."] },
  );
}
