import { sha256 } from "@slipway/durable/canonical";
import type { RunFiles } from "../files/run-files.ts";
import { printSpec } from "../spec/print-spec.ts";
import type { ApprovalOutcome } from "./approval.ts";
import { TRANSCRIPT_FILE } from "./interview-files.ts";
import type { InterviewState } from "./interview-state.ts";
import type { SpecProposal } from "./proposal.ts";

const FOLDER = "interview/proposals";

export function proposalPath(version: number): string {
  return `${FOLDER}/v${version}.toml`;
}

export function putProposal(files: Pick<RunFiles, "put">, { version, spec }: SpecProposal): void {
  files.put(proposalPath(version), printSpec(spec));
}

/** Records the decision beside the proposal. */
export function putDecision(files: Pick<RunFiles, "put">, { version, spec }: SpecProposal, outcome: ApprovalOutcome, at: number): void {
  const isApproved = outcome.decision === "approve" || outcome.decision === "conditional";
  const record = { version, at: new Date(at).toISOString(), ...outcome, specVersion: spec.meta.version, digest: sha256(printSpec(spec)) };
  files.put(`${FOLDER}/v${version}_${isApproved ? "approved" : "feedback"}.json`, `${JSON.stringify(record, null, 2)}\n`);
}

/** Before a rejected interview is cleared. */
export function archiveRejected(files: Pick<RunFiles, "move">, { ignition, interview }: InterviewState["round"]): void {
  const folder = `archive/rejected/${ignition}.${interview}`;
  files.move(TRANSCRIPT_FILE, `${folder}/transcript.jsonl`);
  files.move(FOLDER, `${folder}/proposals`);
}

/** On leaving Ignition; a later entry has a folder of its own below the same ones. */
export function archiveInterview(files: Pick<RunFiles, "move">, { ignition }: InterviewState["round"]): void {
  const below = ignition === 1 ? "" : `/${ignition}`;
  files.move(FOLDER, `archive/proposals${below}`);
  files.move("interview", `archive/interview${below}`);
}
