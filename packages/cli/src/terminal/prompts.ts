import type { Readable, Writable } from "node:stream";
import * as clack from "@clack/prompts";
import { escapeText } from "@slipway/protocols/surface/escape";

export { isCancel } from "@clack/prompts";

/** Texts of a question may come from an agent, a file or a branch, so they are escaped. Values and callbacks are not. */
const WORDS = ["message", "label", "hint", "placeholder"];

function shown<T>(options: T): T {
  if (Array.isArray(options)) return options.map((option: unknown) => shown(option)) as T;
  if (typeof options !== "object" || options === null) return options;
  const entries = Object.entries(options).map(([name, value]: [string, unknown]) => {
    if (WORDS.includes(name) && typeof value === "string") return [name, escapeText(value)];
    return [name, name === "options" ? shown(value) : value];
  });
  return Object.fromEntries(entries) as T;
}

export const confirm: typeof clack.confirm = (options) => clack.confirm(shown(options));
export const select: typeof clack.select = (options) => clack.select(shown(options));
export const autocomplete: typeof clack.autocomplete = (options) => clack.autocomplete(shown(options));
export const multiselect: typeof clack.multiselect = (options) => clack.multiselect(shown(options));

interface TextQuestion {
  readonly message: string;
  readonly placeholder?: string;
  readonly defaultValue?: string;
  /** Validation errors. */
  readonly validate?: (value: string | undefined) => string | undefined;
  readonly input?: Readable;
  readonly output?: Writable;
}

export function text({ validate, ...question }: TextQuestion): ReturnType<typeof clack.text> {
  const escapedError = (value: string | undefined) => escapeText(validate?.(value) ?? "") || undefined;
  return clack.text({ ...shown(question), ...(validate === undefined ? {} : { validate: escapedError }) });
}

export function note(body: string, title: string): void {
  clack.note(escapeText(body), escapeText(title));
}
