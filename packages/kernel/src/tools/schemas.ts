import { z } from "zod";
import { ACTOR_ROLES, type Tool } from "../config/rbac.ts";
import { evidenceSchema } from "./envelope.ts";
import { portable } from "./portable-schema.ts";
import type { AnyTool } from "./tool.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const MAX_ID_LENGTH = 400;

/** Fields of every call. */
const actorFields = {
  actor_type: z.enum(ACTOR_ROLES).describe("Your role, as in your credential."),
  actor_id: z.string().min(1).max(200).describe("Your name in the journal. With a token, the token's name."),
};

const operationId = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  .describe(
    "Your own id for this call. A repeated call with the same id and arguments is not performed again; it returns the recorded answer.",
  );

const expectedVersion = z.int().min(0).describe("The version you have read. If it is no longer current, nothing is done.");

/** Optional elsewhere: without it the kernel reads and writes under its own lock. */
const VERSION_MANDATORY: ReadonlySet<Tool> = new Set(["feature.state_patch", "qa.test_index_update"]);

/** The fields around a tool's own: the dispatcher checks and strips them. A tool that has a field of the same name keeps it. */
export function commonFields({ name, kind, input, caller }: AnyTool): z.ZodObject {
  if (caller !== undefined) return z.object(kind === "mutating" ? { operation_id: operationId.optional() } : {});
  const own = input instanceof z.ZodObject ? Object.keys(input.shape) : Object.keys(jsonSchemaOf(input, "input").properties ?? {});
  const version = VERSION_MANDATORY.has(name) ? expectedVersion : expectedVersion.optional();
  const fields = { ...actorFields, ...(kind === "mutating" && { operation_id: operationId.optional(), expected_version: version }) };
  return z.object(Object.fromEntries(Object.entries(fields).filter(([field]) => !own.includes(field))));
}

export function inputSchemaOf(tool: AnyTool): JsonSchema {
  const own = jsonSchemaOf(tool.input, "input");
  const common = jsonSchemaOf(commonFields(tool), "input");
  return {
    ...own,
    properties: { ...common.properties, ...own.properties },
    required: [...(common.required ?? []), ...(own.required ?? [])],
  };
}

/** The whole response, which a client gets as structured content. errors.schema.json describes `error`. */
export function outputSchemaOf(tool: AnyTool): JsonSchema {
  const success = z.strictObject({ ok: z.literal(true), data: tool.output, evidence: evidenceSchema.optional() });
  const failure = z.strictObject({
    ok: z.literal(false),
    error: z.looseObject({ code: z.string(), message: z.string(), details: z.looseObject({}) }),
    evidence: evidenceSchema.optional(),
  });
  const { $schema, ...union } = jsonSchemaOf(z.union([success, failure]), "output");
  return { ...($schema === undefined ? {} : { $schema }), type: "object", ...union };
}

/** JSON Schema 2020-12. It cannot express rules across fields; the definition checks these. */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const options = { io, target: "draft-2020-12", unrepresentable: "any" } as const;
  return portable(
    z.toJSONSchema(schema, {
      ...options,
      override({ zodSchema, jsonSchema }) {
        // The output of a transform has no schema; transforms here return the type of their input.
        if (!(zodSchema instanceof z.ZodPipe) || !(zodSchema.out instanceof z.ZodTransform) || io === "input") return;
        const { $schema: _, ...taken } = z.toJSONSchema(zodSchema.in, options);
        Object.assign(jsonSchema, taken);
      },
    }),
  );
}

/** The check for a schema on disk. Throws for keywords that no check supports. */
export function checkFor(schema: JsonSchema): z.ZodType {
  const { type, ...forms } = schema;
  // zod reads a type beside alternatives as an intersection, which then accepts unknown fields. Every alternative has the type itself.
  return z.fromJSONSchema(type === "object" && schema.anyOf !== undefined ? forms : schema);
}
