import { LANGUAGE_IDS } from "@slipway/languages/adapter";
import { z } from "zod";
import { CHECKS_OF_TRANSFORMS, RISK, RISK_LEVELS } from "./risk.ts";

export const SMELL_CATEGORIES = ["control-flow", "duplication", "idiom-violation", "dead-weight", "clarity-debt"] as const;
export type SmellCategory = (typeof SMELL_CATEGORIES)[number];

/** Guards that code decides from the text of a function. The other ones are sentences, and the model decides them. */
export const GUARD_CHECKS = ["releases_resource", "yields", "awaits", "breaks_loop", "reflects"] as const;
export type GuardCheck = (typeof GUARD_CHECKS)[number];

const MAX_TEXT = 1_000;
const MAX_TEMPLATE = 20_000;

const id = z
  .string()
  .max(60)
  .regex(/^[a-z]+(?:-[a-z]+)*$/, "must be lower-case words with hyphens");
const text = z.string().regex(/\S/, "must not be empty").max(MAX_TEXT);
const risk = z.literal(RISK_LEVELS);

/** `smells/<category>/<id>.toml`. */
export const smellFileSchema = z.strictObject({
  smell: z.strictObject({ id, name: text, category: z.enum(SMELL_CATEGORIES), description: text }),
  /** Any other key is a threshold: a number that a measured value must exceed. */
  detection: z
    .object({
      tools: z.array(z.strictObject({ name: text, rule: text })),
      heuristics: z.strictObject({ patterns: z.array(text) }),
    })
    .catchall(z.number().min(0)),
  applicable_patterns: z.array(z.strictObject({ pattern: id, risk, rationale: text })).default([]),
});

/** The headings of a template, in their order. */
export const PROMPT_SECTIONS = [
  "PATTERN:",
  "SMELL:",
  "RISK:",
  "CONTEXT:",
  "DETECTION:",
  "GUARDS (do NOT apply if):",
  "BEFORE (TypeScript):",
  "AFTER (TypeScript):",
  "BEFORE (Python):",
  "AFTER (Python):",
  "INSTRUCTIONS:",
  "OUTPUT FORMAT:",
] as const;

const template = z
  .string()
  .max(MAX_TEMPLATE)
  .superRefine((value, issues) => {
    const lines = value.split("\n");
    let from = 0;
    for (const heading of PROMPT_SECTIONS) {
      const found = lines.findIndex((line, index) => index >= from && line.startsWith(heading));
      if (found < 0) issues.addIssue({ code: "custom", message: `has no line "${heading}" at its place` });
      else from = found + 1;
    }
  });

/** `patterns/<id>.toml`. */
export const patternFileSchema = z
  .strictObject({
    pattern: z.strictObject({
      id,
      name: text,
      description: text,
      risk,
      risk_rationale: text,
      /** All languages by default. */
      languages: z.array(z.enum(LANGUAGE_IDS)).min(1).optional(),
    }),
    verification: z.strictObject({ required: z.array(z.enum(CHECKS_OF_TRANSFORMS)).min(1) }),
    guards: z.strictObject({ conditions: z.array(text), checks: z.array(z.enum(GUARD_CHECKS)).default([]) }),
    enables: z.strictObject({ patterns: z.array(id), rationale: z.string().max(MAX_TEXT) }),
    prompt: z.strictObject({ template }),
  })
  .superRefine(({ pattern, verification: { required } }, issues) => {
    const needed = RISK[pattern.risk].required;
    if (needed.join() === required.join()) return;
    issues.addIssue({
      code: "custom",
      path: ["verification", "required"],
      message: `must be ${needed.join(", ")} for risk ${pattern.risk}`,
    });
  });

export type SmellFile = z.output<typeof smellFileSchema>;
export type PatternFile = z.output<typeof patternFileSchema>;
