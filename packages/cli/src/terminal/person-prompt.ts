import type { Readable, Writable } from "node:stream";
import type { PromptOption } from "@slipway/protocols/surface/person-prompt";
import { autocomplete, isCancel, text } from "./prompts.ts";

interface Streams {
  readonly input?: Readable;
  readonly output?: Writable;
}

interface OptionQuestion {
  readonly message: string;
  readonly options: readonly PromptOption[];
  /** Where the arrow keys begin; the first option by default. */
  readonly initial?: string | undefined;
}

/** By arrow keys or by number. Null if the person cancels. */
export async function chooseOption({ message, options, initial }: OptionQuestion, streams: Streams = {}): Promise<string | null> {
  const numbered = options.map(({ value, label }, index) => ({ value, label: `${index + 1}. ${label}` }));
  const chosen = await autocomplete({
    ...streams,
    message: `${message} (arrow keys or a number, then Enter)`,
    options: numbered,
    ...(initial === undefined ? {} : { initialValue: initial }),
    filter: (typed, { label }) => label?.startsWith(`${typed.trim()}.`) === true,
    validate: (value) => (value === undefined ? `Type a number from 1 to ${options.length}.` : undefined),
  });
  return isCancel(chosen) ? null : chosen;
}

export async function writeText(message: string, streams: Streams = {}): Promise<string | null> {
  const written = await text({ ...streams, message, defaultValue: "" });
  return isCancel(written) ? null : written;
}
