import { CLAIM_TYPES } from "@slipway/languages/property-tests/claim";
import { z } from "zod";

const MAX_TEXT = 4_000;
const MAX_ENTRIES = 500;

const UNSAFE_NAMES = /^(?!(?:constructor|prototype)$)/;

const text = z.string().regex(/\S/, "must not be empty").max(MAX_TEXT);
const texts = z.array(text).max(MAX_ENTRIES);
/** The name of a type, a field or a method; it becomes an identifier of the target language. */
const identifier = z
  .string()
  .max(100)
  .regex(/^[A-Za-z][A-Za-z0-9_]*$/, "must be a letter followed by letters, digits and underscores")
  .regex(UNSAFE_NAMES, "is not allowed as a name");

export const FEATURE_CLASSES = ["core", "foundational", "bolt-on"] as const;
export type FeatureClass = (typeof FEATURE_CLASSES)[number];

export const featureId = z
  .string()
  .max(60)
  .regex(/^[a-z][a-z0-9_-]*$/, "must be a lower-case letter followed by lower-case letters, digits, hyphens and underscores")
  .regex(UNSAFE_NAMES, "is not allowed as a name");

const specFeature = z.strictObject({
  classification: z.enum(FEATURE_CLASSES),
  description: text,
  /** Parts of the design that the feature shapes. */
  affects: texts.default([]),
});

const modelField = z.strictObject({ name: identifier, type: text, constraints: texts });
const method = z.strictObject({
  name: identifier,
  params: z.array(text.regex(/^[A-Za-z_]\w*\s*:\s*\S/, 'must have the form "name: Type"')).max(50),
  returns: text,
});

const dataModel = z.strictObject({ fields: uniqueNames(z.array(modelField).max(MAX_ENTRIES)) });
const specInterface = z.strictObject({ methods: uniqueNames(z.array(method).max(MAX_ENTRIES)) });

export const claimId = z.string().regex(/^[a-z_]+_[0-9]+$/, "must match [a-z_]+_[0-9]+, such as balance_001");
export const specClaim = z.strictObject({ text, type: z.enum(CLAIM_TYPES), testable: z.boolean() });

export const specMeta = z.strictObject({
  version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/, "must have the form 1.0.0"),
  created: z.union([z.iso.datetime({ offset: true }), z.iso.date()], "must be a time in ISO 8601, such as 2026-01-23T10:00:00Z"),
  domain: text,
});

/** All sections but `meta`, which the harness writes. */
export const specSections = {
  system: z.strictObject({ name: text.max(100), description: text }),
  boundaries: z.strictObject({ external_systems: texts, trust_boundaries: texts }),
  features: z.record(featureId, specFeature).default({}),
  data_models: z.record(identifier, dataModel).default({}),
  interfaces: z.record(identifier, specInterface).default({}),
  constraints: z.strictObject({ functional: texts, non_functional: texts, security: texts }),
  claims: z.record(claimId, specClaim).default({}),
} as const;

export const SPEC_SECTIONS = Object.keys(specSections) as SpecSection[];
export type SpecSection = keyof typeof specSections;

/** The specification of a system: `spec.toml`. */
export const systemSpecSchema = z.strictObject({ meta: specMeta, ...specSections });
export type SystemSpec = z.output<typeof systemSpecSchema>;

function uniqueNames<S extends z.ZodType<readonly { readonly name: string }[]>>(list: S): S {
  return list.superRefine((entries, issues) => {
    const seen = new Set<string>();
    entries.forEach(({ name }, index) => {
      if (seen.has(name)) issues.addIssue({ code: "custom", path: [index, "name"], message: `the name ${name} is given twice` });
      seen.add(name);
    });
  }) as S;
}
