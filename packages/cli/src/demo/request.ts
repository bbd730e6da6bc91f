import { findSpecs, readSpecs } from "@slipway/kernel/change/plan/specs/read";
import type { DemoRequest } from "@slipway/protocols/demo/demo";
import type { RunRequest } from "@slipway/protocols/protocol";
import type { Io } from "@slipway/protocols/surface/io";
import { readPage } from "@slipway/protocols/surface/request";

/** The demo's request, read from its scratch repository. */
export async function requestOf(wanted: DemoRequest, { cwd, env }: Io): Promise<RunRequest> {
  if ("text" in wanted) return { specs: [], text: wanted.text, cwd, env };
  const specs = "page" in wanted ? [await readPage(cwd, wanted.page)] : await readSpecs(cwd, await findSpecs(cwd, wanted.specs));
  return { specs, text: null, cwd, env };
}

/** The request as the demo shows it. */
export function requestText(wanted: DemoRequest, { specs, text }: RunRequest): string {
  if ("specs" in wanted) return `Its specifications:\n${specs.map(({ path }) => `  ${path}`).join("\n")}\n`;
  if ("page" in wanted)
    return `Its page of intent, ${wanted.page}:\n\n${indented(specs.map(({ bytes }) => Buffer.from(bytes).toString()).join(""))}`;
  return `The request:\n\n${indented(text ?? "")}\n`;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}
