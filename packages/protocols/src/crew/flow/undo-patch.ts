import { diffText } from "@slipway/kernel/host/git/change";
import { applyAgentPatch, type PlanText } from "../../change/agent-change.ts";
import type { ChangeRun } from "../../change/change-run.ts";
import { GivenUp } from "../../dispatch/given-up.ts";
import { BLOCKERS } from "../session/status.ts";
import { Blocked } from "./stops.ts";

/** Takes back a patch whose answer turned out to be invalid, so that its repetition begins with the same files. */
export async function undoPatch(
  change: ChangeRun,
  key: string,
  trees: { readonly from: string; readonly to: string },
  text: PlanText,
): Promise<void> {
  const { repository } = change.services.kernel;
  const diff = await change.ctx.step(`reverse:${key}`, () => diffText(repository, trees.from, trees.to, { binary: true }));
  if (diff === "") return;
  const undone = await applyAgentPatch(change, { name: `${key}-undo`, agent: "crew-orchestrator", diff, text });
  if (!undone.ok) throw new Blocked(BLOCKERS.failedDispatch, `A refused change could not be taken back: ${undone.failure.message}`);
  if (undone.value === null) throw new GivenUp(change.id);
}
