import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { nodeFileSystem } from "../files/file-system.ts";
import { writeFileAtomic } from "../files/write-atomic.ts";
import { excludeLocally } from "../git/repository.ts";
import { ensureWorktree } from "../git/worktree.ts";
import type { Operation } from "../operations/operation.ts";
import type { Rooms } from "./rooms.ts";
import { findFeature, type Feature } from "./store.ts";

const initInput = z.strictObject({ feature_id: z.string(), run_id: z.string(), spec_source: z.string(), spec_digest: z.string() });

/** Folder, branch and worktree; then the row. Repeating it changes nothing. */
export function initOperation(rooms: Rooms): Operation<z.infer<typeof initInput>, { base: string; tree: string }, Feature> {
  const { repository, layout, objects, configuration } = rooms;
  const baseBranch = configuration.policy.worktree.base_branch;
  return {
    name: "feature.init",
    roles: ["orchestrator", "system"],
    input: initInput,
    async effect({ feature_id: id, spec_digest }) {
      await excludeLocally(repository, [".slipway/", ".worktrees/"]);
      await mkdir(join(layout.feature(id), "logs"), { recursive: true });
      await placeSpec(join(layout.feature(id), "spec.md"), await objects.get(spec_digest));
      const { baseCommit } = await ensureWorktree(repository, {
        featureId: id,
        branch: id,
        baseRef: `refs/heads/${baseBranch}`,
        path: layout.worktree(id),
        protectedBranches: [baseBranch],
      });
      return { base: baseCommit, tree: await repository.git.text(["rev-parse", "--verify", "--end-of-options", `${baseCommit}^{tree}`]) };
    },
    async commit(tx, { feature_id: id, run_id, spec_source, spec_digest }, { base, tree }, { at }) {
      const row: Feature = {
        id,
        run_id,
        status: "planning",
        status_reason: "",
        version: 1,
        branch: id,
        worktree: layout.worktree(id),
        base_branch: baseBranch,
        base_commit: base,
        tree: tree.trim(),
        spec_source,
        spec_digest,
        gate_profile: "default",
        gates: "{}",
        created_at: at,
        updated_at: at,
      };
      await tx
        .insertInto("features")
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      return findFeature(tx, id);
    },
    event: ({ feature_id }, { base_commit }) => ({ feature_id, base_commit }),
  };
}

/** A specification that was read from this very place is not copied over itself. */
async function placeSpec(path: string, bytes: Uint8Array): Promise<void> {
  const present = await readFile(path).catch(() => null);
  if (present === null || !present.equals(bytes)) await writeFileAtomic(nodeFileSystem, path, bytes);
}
