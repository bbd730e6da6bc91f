import { join } from "node:path";
import { stringify } from "yaml";
import { nodeFileSystem } from "../files/file-system.ts";
import { writeFileAtomic } from "../files/write-atomic.ts";
import type { Rooms } from "./rooms.ts";
import { acceptedPlan, findFeature, gateMap, type Feature } from "./store.ts";

/** Files for people, written from the rows after the commit. They are never read back. */
export async function project(rooms: Rooms, id: string): Promise<void> {
  const feature = await findFeature(rooms.db, id);
  const plan = await acceptedPlan(rooms.db, id);
  const notes = await rooms.db.selectFrom("notes").selectAll().where("feature_id", "=", id).orderBy("id").execute();
  const write = (name: string, text: string) => writeFileAtomic(nodeFileSystem, join(rooms.layout.feature(id), name), Buffer.from(text));
  await write("state.md", stateMarkdown(feature));
  if (plan !== null) await write("plan.json", `${JSON.stringify(plan, null, 2)}\n`);
  await write(
    "decisions.md",
    [
      "# Decisions",
      ...notes.map(({ actor_type, actor_id, at, text }) => `## ${new Date(at).toISOString()} ${actor_type} (${actor_id})\n\n${text}`),
    ].join("\n\n") + "\n",
  );
}

function stateMarkdown(feature: Feature): string {
  const front = {
    feature_id: feature.id,
    version: feature.version,
    branch: feature.branch,
    worktree_path: feature.worktree,
    status: feature.status,
    status_reason: feature.status_reason,
    gate_profile: feature.gate_profile,
    gates: gateMap(feature),
    locks: { held: [] },
    collisions: { files: [], areas: [], contracts: [] },
    source: { spec_path: feature.spec_source, spec_sha256: feature.spec_digest },
    base: { branch: feature.base_branch, commit: feature.base_commit },
    tree: feature.tree,
    last_updated: new Date(feature.updated_at).toISOString(),
  };
  return `---\n${stringify(front)}---\n\n# ${feature.id}\n\nWritten by Slipway from its database; changes made here are overwritten.\n`;
}
