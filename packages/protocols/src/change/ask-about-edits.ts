import type { Failure } from "@slipway/durable/errors";
import type { CommitByHand } from "@slipway/kernel/host/git/hand-work";
import { z } from "zod";
import type { ChangeRun } from "./change-run.ts";

/** The details of `worktree_edited`. */
interface Edited {
  readonly worktree: string;
  readonly files: readonly { readonly path: string; readonly status: string }[];
  readonly files_in_all: number;
  readonly commits: readonly CommitByHand[];
  readonly outside_plan: readonly string[];
  readonly kept_branch: string;
}

const editedAnswer = z.strictObject({ decision: z.enum(["adopt", "set_aside"]), comment: z.string().optional() });

/** A person edited the feature's worktree or its branch: asks whether the edits join the change or move to a kept branch. */
export async function askAboutEdits(change: ChangeRun, name: string, failure: Failure): Promise<"adopt" | "set_aside"> {
  const edits = failure.details as unknown as Edited;
  const { decision } = await change.ctx.ask(name, {
    kind: "edited",
    title: `${change.id} was edited by hand`,
    body: bodyLines(failure.message, edits).join("\n"),
    options: [
      { value: "adopt", label: adoptLabel(edits) },
      { value: "set_aside", label: `move the edits to the branch ${edits.kept_branch} and continue without them` },
    ],
    schema: editedAnswer,
    context: { feature_id: change.id, ...edits },
    answerableBy: ["person"],
  });
  return decision;
}

function adoptLabel({ commits, kept_branch }: Edited): string {
  const kept = commits.length === 0 ? "" : ` (the commits themselves stay on the branch ${kept_branch})`;
  return `make the edits part of the change${kept}; the change is gated and needs approval again`;
}

const STATUS: Readonly<Record<string, string>> = { A: "added", M: "changed", D: "deleted", T: "type changed" };

function bodyLines(message: string, { files, files_in_all, commits, outside_plan }: Edited): string[] {
  const notListed = files_in_all - files.length;
  return [
    message,
    ...files.map(({ path, status }) => `${STATUS[status] ?? status}: ${path}`),
    ...(notListed > 0 ? [`and ${notListed} more`] : []),
    ...commits.map(({ commit, author, subject }) => `commit ${commit.slice(0, 10)} by ${author}: ${subject}`),
    ...(outside_plan.length === 0 ? [] : [`Good to know: the plan does not name ${outside_plan.join(", ")}`]),
  ];
}
