import type { ProviderRequest } from "../provider.ts";
import { mayEdit } from "./edited-answer.ts";

export const REQUEST_FILE = "REQUEST.md";
export const ANSWER_FILE = "answer.json";
export const SCHEMA_FILE = "schema.json";
export const PACK_FOLDER = "pack";

/** Everything needed to answer, in one file. */
export function requestText(request: ProviderRequest, errors: readonly string[]): string {
  const { role, subject, attempt, system, prompt } = request;
  return [
    `# ${role} for ${subject}, attempt ${attempt}`,
    ...(errors.length === 0 ? [] : [`## The last answer was refused\n\n${errors.map((error) => `- ${error}`).join("\n")}`]),
    `## How to answer\n\n${steps(request)
      .map((step, index) => `${index + 1}. ${step}`)
      .join("\n")}`,
    `## Role\n\n${system.trim()}`,
    prompt.trim(),
    "",
  ].join("\n\n");
}

function steps(request: ProviderRequest): string[] {
  const read =
    request.workplace === null ? "Read the task below." : `Read the task below; the files it is about are in \`${PACK_FOLDER}/\`.`;
  const written = `Write the answer to \`${ANSWER_FILE}\` beside this file: one JSON value that satisfies \`${SCHEMA_FILE}\`.`;
  const edited = `If the answer is a change of files, make it in \`${PACK_FOLDER}/\`: the differences there are the patch, and \`${ANSWER_FILE}\` may be left out.`;
  const confirmed =
    "Confirm: `slipway inbox` shows the question, and `slipway answer Q… done` answers it. An invalid answer is refused with the reasons.";
  return [read, written, ...(mayEdit(request) ? [edited] : []), confirmed, "Continue the run: `slipway resume`."];
}
