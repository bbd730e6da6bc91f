import { findSpecs, readSpecs } from "@slipway/kernel/change/plan/specs/read";
import type { DemoRequest } from "@slipway/protocols/demo/demo";
import type { RunRequest } from "@slipway/protocols/protocol";
import type { Io } from "@slipway/protocols/surface/io";
import { readPage } from "@slipway/protocols/surface/request";

/** The demo's request, read from its scratch repository. */
export async function requestOf(wanted: DemoRequest, { cwd, env }: Io): Promise<RunRequest> {
  if ("text" in wanted) return { specs: [], ...wanted, cwd, env };
  const specs = "page" in wanted ? [await readPage(cwd, wanted.page)] : await readSpecs(cwd, await findSpecs(cwd, wanted.specs));
  return { specs, text: null, cwd, env };
}

/** The request as the demo shows it. */
export function requestText(wanted: DemoRequest, { specs, text, options = {}, flags = {} }: RunRequest): string {
  if ("specs" in wanted) return `Its specifications:\n${specs.map(({ path }) => `  ${path}`).join("\n")}\n`;
  if ("page" in wanted)
    return `Its page of intent, ${wanted.page}:\n\n${indented(specs.map(({ bytes }) => Buffer.from(bytes).toString()).join(""))}`;
  const given = [
    ...Object.entries(flags).flatMap(([name, isOn]) => (isOn ? [`--${name}`] : [])),
    ...Object.entries(options).map(([name, value]) => `--${name} ${value}`),
  ];
  return `The request${given.length === 0 ? "" : `, with ${given.join(" ")}`}:\n\n${indented(text ?? "")}\n`;
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, "  ");
}
