import { z } from "zod";
import { isPlaceholder } from "./placeholder.ts";

/** The parts of a module that a caller can see. Everything else is internal. */
export const DIMENSIONS = ["inputs", "outputs", "error_surfaces", "effects", "modes"] as const;
export type ContractDimension = (typeof DIMENSIONS)[number];

export const moduleId = z.string().regex(/^MM-\w+$/);
export const moduleVersion = z.string().regex(/^\d+\.\d+\.\d+$/);
/** A module with a version or a range of versions. */
export const moduleRef = z.string().regex(/^MM-\w+@\S+$/);

const text = z.string().refine((value) => !isPlaceholder(value), "must say something: it is empty or a placeholder");

/** Elements are identified by name when two contracts are compared. */
function named<T extends z.ZodType<{ readonly name: string }>>(element: T) {
  return z.array(element).superRefine((elements, context) => {
    elements.forEach(({ name }, index) => {
      if (elements.findIndex((other) => other.name === name) < index) {
        context.addIssue({ code: "custom", path: [index, "name"], message: `"${name}" is declared twice` });
      }
    });
  });
}

const inputs = named(z.strictObject({ name: text, type: text, constraints: z.array(text) }));
const outputs = named(z.strictObject({ name: text, type: text, invariants: z.array(text) }));
const errorSurfaces = named(z.strictObject({ name: text, when: text, surface: z.enum(["exception", "code", "variant"]) }));
const effects = z.array(
  z.strictObject({
    type: z.enum(["POST", "PUT", "PATCH", "WRITE", "CALL", "MUTATION"]),
    target: text,
    description: text,
  }),
);
const modes = z
  .strictObject({ sync: z.boolean(), async: z.boolean(), notes: z.string() })
  .refine((mode) => mode.sync || mode.async, "must be sync, async or both");

export const contractSchema = z.strictObject({
  module_id: moduleId,
  module_version: moduleVersion,
  name: text,
  purpose: text,
  tags: z.array(text),
  inputs,
  outputs,
  error_surfaces: errorSurfaces,
  effects,
  modes,
  error_cases: z.array(text),
  dependencies: z.array(z.strictObject({ ref: moduleRef, why: text })),
  compatibility: z.strictObject({ backward_compatible_with: z.array(moduleRef), breaking_change_policy: z.string() }),
  runtime_budgets: z.strictObject({
    latency_ms_p95: z.number().positive().optional(),
    memory_mb_max: z.number().positive().optional(),
  }),
});

/** What a module promises: the five dimensions and their descriptions. */
export type Contract = z.infer<typeof contractSchema>;
export type Dimensions = Pick<Contract, ContractDimension>;

export function dimensionsOf({ inputs: i, outputs: o, error_surfaces, effects: e, modes: m }: Dimensions): Dimensions {
  return { inputs: i, outputs: o, error_surfaces, effects: e, modes: m };
}
