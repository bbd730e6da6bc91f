import { digestOf } from "@slipway/durable/canonical";
import { z } from "zod";
import type { MergeStrategy } from "../../host/git/merge.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { acceptedPlan, type Feature } from "../feature/store.ts";
import type { Approval } from "./approvals/token.ts";

/** Line ends of any kind would let one field look like several. */
const LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u;
/** A whole message has line feeds and tabs. */
const TEXT = /^(?:[^\p{Cc}\p{Zl}\p{Zp}]|[\n\t])+$/u;
/** Trailers that only Slipway writes. git ignores the case of a key, and blanks around it. */
const OWN_KEY = /^\s*(?:slipway-[^\s:]*|approved-by|squashed-from)\s*:/i;
/** `git interpret-trailers` takes the message to end here. */
const END_OF_MESSAGE = /^---(?:\s|$)/;
const TRAILER = /^[A-Za-z][A-Za-z0-9-]*: \S/;

const line = (most: number) =>
  z
    .string()
    .max(most)
    .regex(LINE, "must be one line without control characters")
    .refine((text) => text.isWellFormed() && text.trim() === text, "must not begin or end with a blank");

const trailer = line(1_000)
  .regex(/^[A-Za-z][A-Za-z-]*: \S/, 'must be "Key: value", with a key of letters and dashes')
  .refine((text) => !OWN_KEY.test(text), "must not have a key that Slipway writes itself");

const wholeMessage = z
  .string()
  .min(1)
  .max(20_000)
  .regex(TEXT, "must not have control characters besides line feeds and tabs")
  .refine((text) => text.isWellFormed() && text.trim() !== "", "must be readable text")
  .refine((text) => !text.split("\n").some((one) => OWN_KEY.test(one)), "must not have a trailer that Slipway writes itself")
  .refine((text) => !text.split("\n").some((one) => END_OF_MESSAGE.test(one)), 'must not have a line "---"');

/** The fields of a merge's input that make its message. */
export const mergeWords = {
  commit_message: wholeMessage.optional().describe("The whole message, without the trailers that Slipway adds."),
  subject: line(200).optional().describe("The first line; the plan's summary follows it."),
  trailers: z.array(trailer).max(50).readonly().optional().describe('Lines "Key: value" after those of Slipway.'),
};

export type Words = z.infer<z.ZodObject<typeof mergeWords>>;

export const oneSource: [(words: Words) => boolean, { message: string; path: string[] }] = [
  ({ commit_message, subject, trailers }) => commit_message === undefined || (subject === undefined && trailers === undefined),
  { message: "is the whole message: leave out subject and trailers", path: ["commit_message"] },
];

/** What a merge's commit says, besides Slipway's own trailers. */
export interface MergeMessage {
  readonly text: string;
  /** After Slipway's own. */
  readonly trailers: readonly string[];
}

export async function messageFor(
  { db }: Pick<FeatureDependencies, "db">,
  { id }: Pick<Feature, "id">,
  { commit_message, subject, trailers = [] }: Words,
): Promise<MergeMessage> {
  if (commit_message !== undefined) return split(commit_message.trim());
  const summary = (await acceptedPlan(db, id))?.summary;
  if (subject === undefined) return { text: `${id}: ${summary ?? "merged by Slipway"}`, trailers };
  return { text: [subject, ...(summary === undefined ? [] : ["", summary])].join("\n"), trailers };
}

/** The message's own trailers: Slipway's go into the same paragraph, because git reads only the last one. */
function split(message: string): MergeMessage {
  const paragraphs = message.split(/\n{2,}/);
  const last = paragraphs.at(-1)?.split("\n") ?? [];
  if (paragraphs.length === 1 || !last.every((one) => TRAILER.test(one))) return { text: message, trailers: [] };
  return { text: paragraphs.slice(0, -1).join("\n\n"), trailers: last };
}

/** The message as a person reads it before approving. */
export function shownMessage({ text, trailers }: MergeMessage): string {
  return trailers.length === 0 ? text : `${text}\n\n${trailers.join("\n")}`;
}

/** The part of a signed approval that names the message and the strategy. */
export function messageDigest({ text, trailers }: MergeMessage, strategy: MergeStrategy): string {
  return digestOf({ text, trailers: [...trailers], strategy });
}

/** The whole message, with the trailers that only Slipway writes. */
export function signedMessage(
  { text, trailers }: MergeMessage,
  { feature, change, approval }: { readonly feature: string; readonly change: string; readonly approval: Approval | null },
): string {
  return [
    text,
    "",
    `Slipway-Feature: ${feature}`,
    `Slipway-Change: ${change}`,
    ...(approval === null ? [] : [`Approved-by: ${approval.by}`]),
    ...trailers,
  ].join("\n");
}
