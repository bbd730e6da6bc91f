import type { Failure } from "@slipway/durable/errors";
import type { CommitByHand } from "@slipway/kernel/host/git/hand-work";
import { z } from "zod";
import type { ChangeRun } from "./change-run.ts";

/** What `worktree_edited` says. */
interface Edited {
  readonly worktree: string;
  readonly files: readonly { readonly path: string; readonly status: string }[];
  readonly files_in_all: number;
  readonly commits: readonly CommitByHand[];
  readonly outside_plan: readonly string[];
  readonly kept_branch: string;
}

const editedAnswer = z.strictObject({ decision: z.enum(["adopt", "set_aside"]), comment: z.string().optional() });

/** A person has worked in the feature's worktree or on its branch. Only a person says what becomes of that; either way it is kept. */
export async function askAboutEdits(change: ChangeRun, name: string, failure: Failure): Promise<"adopt" | "set_aside"> {
  const found = failure.details as unknown as Edited;
  const { decision } = await change.ctx.ask(name, {
    kind: "edited",
    title: `${change.id} was edited by hand`,
    body: inWords(failure.message, found).join("\n"),
    options: [
      { value: "adopt", label: adoptLabel(found) },
      { value: "set_aside", label: `keep it on the branch ${found.kept_branch} and go on without it` },
    ],
    schema: editedAnswer,
    context: { feature_id: change.id, ...found },
    answerableBy: ["person"],
  });
  return decision;
}

function adoptLabel({ commits, kept_branch }: Edited): string {
  const kept = commits.length === 0 ? "" : ` (the commits themselves stay on the branch ${kept_branch})`;
  return `make it part of the change${kept}; it is gated and has to be approved again`;
}

const STATUS: Readonly<Record<string, string>> = { A: "added", M: "changed", D: "deleted", T: "type changed" };

function inWords(message: string, { files, files_in_all, commits, outside_plan }: Edited): string[] {
  const left = files_in_all - files.length;
  return [
    message,
    ...files.map(({ path, status }) => `${STATUS[status] ?? status}: ${path}`),
    ...(left > 0 ? [`and ${left} more`] : []),
    ...commits.map(({ commit, author, subject }) => `commit ${commit.slice(0, 10)} by ${author}: ${subject}`),
    ...(outside_plan.length === 0 ? [] : [`Good to know: the plan does not name ${outside_plan.join(", ")}`]),
  ];
}
