import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import { realPlace } from "@slipway/kernel/host/git/real-place";
import { layoutAt } from "@slipway/kernel/host/layout";
import { placesIn } from "@slipway/kernel/host/places";
import { makeUngatedFolder, ungatedPlaces } from "@slipway/kernel/host/ungated";
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
  /** Where requests are laid out; made when it is asked for. */
  readonly folder: () => string;
}

/**
 * Somebody outside answers: a person, or another tool. The request is laid out in a folder, and the invocation ends with
 * `answer_pending`; the protocol asks the question, and comes back with what was said.
 */
export function manualProvider({ root, folder: place }: ManualPlace): Provider {
  return {
    name: "manual",
    works: "folder",
    async invoke(request, signal) {
      signal.throwIfAborted();
      const { key, said } = request.hand ?? { key: keyOf(request), said: null };
      const name = folderName(key);
      // What Slipway 0.1 has asked is answered where it was asked.
      const former = join(root, ".slipway", "manual", name);
      const folder = existsSync(former) ? former : join(place(), name);
      const wait = async (errors: readonly string[]) => {
        await layOut(folder, request, errors);
        return pending(folder === former ? relative(root, folder) : folder, request, errors);
      };
      if (said === null) throw await wait(request.errors ?? []);
      if (!(await wasAsked(folder, request))) throw await wait(request.repair > 0 ? (request.errors ?? []) : [CHANGED]);
      if (said.decision === "reject") throw rejected(request, said);
      const edits =
        request.workplace === null ? NO_EDITS : await takeOver(join(folder, PACK_FOLDER), await packAsCopied(folder), request.workplace);
      if (edits.refused.length > 0) throw await wait(edits.refused);
      const text = said.answer === undefined ? await writtenAnswer(folder) : JSON.stringify(said.answer);
      if (text !== null) return reply(text);
      const summary = said.comment ?? `Edited by hand: ${edits.paths.join(", ")}`;
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

const CHANGED = "The task has changed since it was asked: read it again. What was there before is beside this folder.";
const NO_EDITS: Edits = { paths: [], refused: [] };

function reply(text: string): ProviderReply {
  return { text, usage: NO_USAGE, model: null };
}

function keyOf({ role, subject, attempt }: ProviderRequest): string {
  return `${subject}-${role}-${attempt}`;
}

function nothingThere({ paths }: Edits): string {
  const edited = paths.length === 0 ? "and nothing in pack/ was edited" : "and what was edited is no whole answer to this task";
  return `There is no ${ANSWER_FILE}, ${edited}.`;
}

function pending(folder: string, request: ProviderRequest, errors: readonly string[]): SlipwayError {
  const { role, subject, schema } = request;
  const details: PendingDetails = { folder, role, subject, schema: { ...schema }, may_edit: mayEdit(request), errors: [...errors] };
  return new SlipwayError(
    "answer_pending",
    `The ${role} for ${subject} is played by hand: ${folder}/${REQUEST_FILE} says what is wanted.`,
    {
      ...details,
      suggested_next_actions: [`Read ${folder}/${REQUEST_FILE}, answer, and say so with \`slipway answer\`.`],
    },
  );
}

function rejected({ role, subject }: ProviderRequest, { comment }: HandAnswer): SlipwayError {
  const why = comment === undefined ? "" : `: ${comment}`;
  return new SlipwayError("agent_refused", `Whoever plays the ${role} for ${subject} by hand has declined${why}.`, {
    role,
    subject,
    suggested_next_actions: ["Specify it more clearly, or let somebody else play the role: --agent-provider."],
  });
}
