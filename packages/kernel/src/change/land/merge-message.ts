import { z } from "zod";
import type { FeatureDependencies } from "../feature/dependencies.ts";
import { acceptedPlan, type Feature } from "../feature/store.ts";
import type { Approval } from "./approvals/token.ts";

/** Line ends of any kind would let one field look like several. */
const LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]+$/u;
/** Trailers that only Slipway writes. git ignores the case of a key. */
const OWN_KEY = /^(?:slipway-.*|approved-by|squashed-from)$/i;

const line = (most: number) =>
  z
    .string()
    .max(most)
    .regex(LINE, "must be one line without control characters")
    .refine((text) => text.isWellFormed() && text.trim() === text, "must not begin or end with a blank");

const trailer = line(1_000)
  .regex(/^[A-Za-z][A-Za-z-]*: \S/, 'must be "Key: value", with a key of letters and dashes')
  .refine((text) => !OWN_KEY.test(text.slice(0, text.indexOf(":"))), "must not have a key that Slipway writes itself");

/** The fields of a merge's input that make its message. */
export const mergeWords = {
  commit_message: z.string().min(1).optional().describe("The whole message."),
  subject: line(200).optional().describe("The first line; the plan's summary follows it."),
  trailers: z.array(trailer).max(50).readonly().optional().describe('Lines "Key: value" after those of Slipway.'),
};

type Words = z.infer<z.ZodObject<typeof mergeWords>>;

export const oneSource: [(words: Words) => boolean, { message: string; path: string[] }] = [
  ({ commit_message, subject, trailers }) => commit_message === undefined || (subject === undefined && trailers === undefined),
  { message: "is the whole message: leave out subject and trailers", path: ["commit_message"] },
];

interface MessageParts extends Words {
  readonly change: string;
  readonly approval: Approval | null;
}

export async function messageFor(
  { db }: Pick<FeatureDependencies, "db">,
  { id }: Pick<Feature, "id">,
  { change, approval, commit_message, subject, trailers = [] }: MessageParts,
): Promise<string> {
  if (commit_message !== undefined) return commit_message;
  const summary = (await acceptedPlan(db, id))?.summary;
  return [
    ...(subject === undefined ? [`${id}: ${summary ?? "merged by Slipway"}`] : [subject, ...(summary === undefined ? [] : ["", summary])]),
    "",
    `Slipway-Feature: ${id}`,
    `Slipway-Change: ${change}`,
    ...(approval === null ? [] : [`Approved-by: ${approval.by}`]),
    ...trailers,
  ].join("\n");
}
