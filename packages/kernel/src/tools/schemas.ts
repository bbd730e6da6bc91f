import { z } from "zod";
import { ACTOR_ROLES, type Tool } from "../config/rbac.ts";
import { evidenceSchema } from "./envelope.ts";
import { portable } from "./portable-schema.ts";
import type { AnyTool } from "./tool.ts";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const MAX_ID_LENGTH = 400;

/** What every call carries. */
const actorFields = {
  actor_type: z.enum(ACTOR_ROLES).describe("Your role. It has to be the one your credential was made for."),
  actor_id: z.string().min(1).max(200).describe("Your name in the journal. With a token, the one the token names."),
};

const operationId = z
  .string()
  .min(1)
  .max(MAX_ID_LENGTH)
  .describe("Your own id for this call. The same id with the same arguments is carried out once, and answered again from the record.");

const expectedVersion = z.int().min(0).describe("The version you have seen. When it is no longer current, nothing is done.");

/** Elsewhere it is optional, and without it the kernel reads and writes under its own lock. */
const VERSION_MANDATORY: ReadonlySet<Tool> = new Set(["feature.state_patch", "qa.test_index_update"]);

/** The fields around a tool's own: the dispatcher checks and strips them. A tool that has a field of the same name keeps it. */
export function commonFields({ name, kind, input }: AnyTool): z.ZodObject {
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

/** The whole response: what a client gets as structured content. What `error` may hold is told by errors.schema.json. */
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

/** JSON Schema 2020-12. Rules across fields have no form there; the definition's own check knows them. */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonSchema {
  const options = { io, target: "draft-2020-12", unrepresentable: "any" } as const;
  return portable(
    z.toJSONSchema(schema, {
      ...options,
      override({ zodSchema, jsonSchema }) {
        // What a transform gives has no schema; those here give back the kind of value they take.
        if (!(zodSchema instanceof z.ZodPipe) || !(zodSchema.out instanceof z.ZodTransform) || io === "input") return;
        const { $schema: _, ...taken } = z.toJSONSchema(zodSchema.in, options);
        Object.assign(jsonSchema, taken);
      },
    }),
  );
}

/** The check that a schema on disk stands for. Throws where it says something that no check is known for. */
export function checkFor(schema: JsonSchema): z.ZodType {
  const { type, ...forms } = schema;
  // zod reads a type beside alternatives as an intersection, and then lets unknown fields through. Every alternative has the type itself.
  return z.fromJSONSchema(type === "object" && schema.anyOf !== undefined ? forms : schema);
}
