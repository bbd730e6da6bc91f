import type { Credential } from "@slipway/kernel/tools/credential";

/** What a model reads before its first call. */
export function instructionsFor({ role, actorId, feature }: Credential): string {
  return [
    "Slipway turns a specification into a merged change with evidence: feature.init, plan.submit, repo.apply_patch, gates.run, feature.ready_to_merge. Every change goes through these tools; the worktree is never edited by hand.",
    `Every call carries actor_type ${JSON.stringify(role)} and actor_id ${actorId === null ? "(a name of your own)" : JSON.stringify(actorId)}.`,
    ...(feature === null ? [] : [`You may touch the feature ${JSON.stringify(feature)} only.`]),
    "A tool that is not open to your role answers forbidden_tool_for_role. Every answer is JSON: {ok: true, data} or {ok: false, error: {code, message, details}}; details.suggested_next_actions says what to do.",
    "Give mutating calls an operation_id of your own: repeated with the same arguments it changes nothing twice.",
  ].join("\n");
}
