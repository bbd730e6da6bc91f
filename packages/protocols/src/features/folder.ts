import type { PackChanges } from "@slipway/agents/packs/changes";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import { listTree } from "@slipway/agents/packs/source";
import { SlipwayError } from "@slipway/agents/errors";
import { toFailure } from "@slipway/durable/errors";
import type { Policy } from "@slipway/kernel/config/policy";
import { plannedFiles, type Plan } from "@slipway/kernel/change/plan/schema";
import type { Reply } from "../dispatch/dispatcher.ts";
import { droppedText, type FolderWork } from "../dispatch/work-folder.ts";
import { WORKER_OUTPUT, type AskedOutput, type WorkerOutput } from "./schemas.ts";
import type { WorkerRole } from "../change/worker-role.ts";
import type { ChangeRun } from "../change/change-run.ts";

/** The feature's files as a folder: all are readable, those of the plan are writable. */
export async function folderFor<R extends WorkerRole>(
  change: ChangeRun,
  { role, show, output }: { readonly role: R; readonly show: readonly string[]; readonly output: AskedOutput<R> },
): Promise<FolderWork<WorkerOutput<R>>> {
  const { kernel } = change.services;
  const { repository, configuration } = kernel;
  const { tree, plan } = await kernel.features.context(change.id);
  const listing = await listTree(repository, tree);
  const rules = [
    { path: ".", level: "FULL", permission: "read", reason: "the files of this feature" },
    { path: "slipway", level: null, sealed: false, reason: "Slipway's configuration is not part of the work" },
    ...show.map((path): PackRule => ({ path, level: "FULL", permission: "read", reason: "the worker asked for it" })),
    ...(role === "planner" || plan === null ? [] : writeRules(plan, configuration.policy)),
  ] satisfies PackRule[];
  return {
    contents: { ...listing, tree, rules, objectFormat: repository.objectFormat },
    schema: output.folder,
    adopt: (answer, changes) => adopt(role, output.folder.parse(answer), changes),
  };
}

/** The paths that a patch may touch under this policy. The kernel still checks the patch itself. */
export function writeRules(plan: Plan, { patch_policy, path_rules }: Policy): PackRule[] {
  if (patch_policy.enforce_plan) return plannedFiles(plan).map(({ path, operation }) => grant(path, `the plan's files.${operation}`));
  const byFolder = patch_policy.enforce_allowed_areas && path_rules.matching === "repo_prefix";
  const allowed = byFolder ? plan.allowed_areas : ["."];
  const forbidden = path_rules.matching === "repo_prefix" ? plan.forbidden_areas : [];
  return [
    ...allowed.map((path) => grant(path, "in the plan's allowed_areas")),
    ...forbidden.map((path): PackRule => ({ path, level: "FULL", permission: "read", reason: "in the plan's forbidden_areas" })),
  ];
}

function grant(path: string, reason: string): PackRule {
  return { path, level: "FULL", permission: "write", reason };
}

interface Answer {
  readonly type?: string;
  readonly summary?: string;
}

function adopt<R extends WorkerRole>(role: R, answer: unknown, changes: PackChanges): Reply<WorkerOutput<R>> {
  const { type, summary = "" } = answer as Answer;
  const plain = (value: unknown): Reply<WorkerOutput<R>> => ({ ok: true, value: WORKER_OUTPUT[role].parse(value) });
  if (type !== "PATCH") return plain(answer);
  const discarded = changes.dropped.length === 0 ? undefined : droppedText(changes);
  if (changes.diff !== "") return plain({ ...(answer as object), unified_diff: changes.diff, discarded });
  const message = `The ${role} claims a patch (${summary}) but changed none of its writable files.${discarded === undefined ? "" : ` ${discarded}`}`;
  return {
    ok: false,
    failure: toFailure(
      new SlipwayError("patch_rejected", message, {
        claimed: summary,
        dropped: changes.dropped,
        suggested_next_actions: ["Change the files in the working folder, then answer."],
      }),
    ),
  };
}
