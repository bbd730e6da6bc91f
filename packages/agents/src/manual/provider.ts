import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { SlipwayError } from "../errors.ts";
import { realPlace } from "@slipway/kernel/host/git/real-place";
import { layoutAt } from "@slipway/kernel/host/layout";
import { placesIn } from "@slipway/kernel/host/places";
import { makeUngatedFolder, ungatedPlaces } from "@slipway/kernel/host/ungated-folder";
import type { OpenContext } from "../open.ts";
import type { Provider, ProviderReply, ProviderRequest } from "../provider.ts";
import type { HandAnswer, PendingDetails } from "./contract.ts";
import { answerForEdits, mayEdit } from "./edited-answer.ts";
import { takeOver, type Edits } from "./edits.ts";
import { folderName, layOut, packAsCopied, wasAsked, writtenAnswer } from "./folder.ts";
import { ANSWER_FILE, PACK_FOLDER, REQUEST_FILE } from "./request-text.ts";

const NO_USAGE = { input_tokens: 0, output_tokens: 0, cost_usd: 0 };

export interface ManualPlace {
  readonly root: string;
  /** Where requests are written; created on first use. */
  readonly folder: () => string;
}

/**
 * A person or another tool answers. The request is written to a folder and the invocation fails with `answer_pending`; the protocol asks a
 * question and invokes again with the answer.
 */
export function manualProvider({ root, folder: place }: ManualPlace): Provider {
  return {
    name: "manual",
    works: "folder",
    async invoke(request, signal) {
      signal.throwIfAborted();
      const { key, said: handAnswer } = request.hand ?? { key: keyOf(request), said: null };
      const name = folderName(key);
      // A request of Slipway 0.1 is answered in its old folder.
      const former = join(root, ".slipway", "manual", name);
      const folder = existsSync(former) ? former : join(place(), name);
      const wait = async (errors: readonly string[]) => {
        await layOut(folder, request, errors);
        return pending(folder === former ? relative(root, folder) : folder, request, errors);
      };
      if (handAnswer === null) throw await wait(request.errors ?? []);
      if (!(await wasAsked(folder, request))) throw await wait(request.repair > 0 ? (request.errors ?? []) : [CHANGED]);
      if (handAnswer.decision === "reject") throw rejected(request, handAnswer);
      const edits =
        request.workplace === null ? NO_EDITS : await takeOver(join(folder, PACK_FOLDER), await packAsCopied(folder), request.workplace);
      if (edits.refused.length > 0) throw await wait(edits.refused);
      const text = handAnswer.answer === undefined ? await writtenAnswer(folder) : JSON.stringify(handAnswer.answer);
      if (text !== null) return reply(text);
      const summary = handAnswer.comment ?? `Edited by hand: ${edits.paths.join(", ")}`;
      const spoken = edits.paths.length === 0 ? null : answerForEdits(request.schema, summary);
      if (spoken === null) throw await wait([nothingThere(edits)]);
      return reply(JSON.stringify(spoken));
    },
  };
}

export async function openManual({ root, env }: OpenContext): Promise<Provider> {
  const anchors = layoutAt(root);
  const { manual } = ungatedPlaces(anchors, await realPlace(placesIn(env).stateHome));
  const folder = () => {
    makeUngatedFolder(anchors, manual);
    return manual;
  };
  return manualProvider({ root, folder });
}

const CHANGED = "The task has changed: read it again. Your earlier work is in a folder beside this one.";
const NO_EDITS: Edits = { paths: [], refused: [] };

function reply(text: string): ProviderReply {
  return { text, usage: NO_USAGE, model: null };
}

function keyOf({ role, subject, attempt }: ProviderRequest): string {
  return `${subject}-${role}-${attempt}`;
}

function nothingThere({ paths }: Edits): string {
  const edited = paths.length === 0 ? "and nothing in pack/ was edited" : "and the edits alone do not answer this task";
  return `There is no ${ANSWER_FILE}, ${edited}.`;
}

function pending(folder: string, request: ProviderRequest, errors: readonly string[]): SlipwayError {
  const { role, subject, schema, accepted = schema } = request;
  const details: PendingDetails = { folder, role, subject, schema: { ...accepted }, may_edit: mayEdit(request), errors: [...errors] };
  return new SlipwayError("answer_pending", `The ${role} for ${subject} is played by hand: the request is in ${folder}/${REQUEST_FILE}.`, {
    ...details,
    suggested_next_actions: [`Read ${folder}/${REQUEST_FILE}, answer it, and confirm with \`slipway answer\`.`],
  });
}

function rejected({ role, subject }: ProviderRequest, { comment }: HandAnswer): SlipwayError {
  const why = comment === undefined ? "" : `: ${comment}`;
  return new SlipwayError("agent_refused", `The person playing ${role} for ${subject} declined${why}.`, {
    role,
    subject,
    suggested_next_actions: ["Clarify the specification, or choose another provider with --agent-provider."],
  });
}
