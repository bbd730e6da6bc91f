import { checkSchema } from "@slipway/kernel/schema/violations";
import type { z } from "zod";

/** A value, or one sentence for each thing that is wrong with it. */
export type Read<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly string[] };

export function readAs<T>(schema: z.ZodType<T>, value: unknown): Read<T> {
  const checked = checkSchema(schema, value);
  if (checked.ok) return checked;
  return { ok: false, problems: checked.violations.map(({ pointer, message }) => (pointer === "" ? message : `${pointer}: ${message}`)) };
}

export function refused(problems: readonly string[]): { readonly ok: false; readonly problems: readonly string[] } {
  return { ok: false, problems };
}

/** A rule that a value breaks if `broken` is true. */
export function problem(broken: boolean, text: string): string[] {
  return broken ? [text] : [];
}

/** The value, or null. For optional checks over something that another check reports. */
export function valueOf<T>(read: Read<T>): T | null {
  return read.ok ? read.value : null;
}
