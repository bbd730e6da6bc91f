import type { Credential } from "@slipway/kernel/tools/credential";

/** The text that a model reads before its first call. */
export function instructionsFor({ role, actorId, feature }: Credential): string {
  return [
    "Slipway turns a specification into a merged change with evidence: feature.init, plan.submit, repo.apply_patch, gates.run, feature.ready_to_merge. Every change goes through these tools; never edit the worktree by hand.",
    `Every call carries actor_type ${JSON.stringify(role)} and actor_id ${actorId === null ? "(a name you choose)" : JSON.stringify(actorId)}.`,
    ...(feature === null ? [] : [`You may touch the feature ${JSON.stringify(feature)} only.`]),
    "A tool that is not open to your role answers forbidden_tool_for_role. Every answer is JSON: {ok: true, data} or {ok: false, error: {code, message, details}}; details.suggested_next_actions says what to do.",
    "Give each mutating call its own operation_id: if you repeat the call with the same id and arguments, it has no second effect.",
  ].join("\n");
}
