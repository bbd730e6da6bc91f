import { shownSchema } from "@slipway/agents/json-schema";
import { z } from "zod";

/**
 * Shows the schema to the role but accepts any JSON. For roles whose answers the protocol checks itself, because a bad answer has
 * consequences of its own and the number of attempts is part of the protocol.
 */
export function shownAs(schema: z.ZodType): z.ZodType {
  const { $schema: _, ...shown } = shownSchema(schema).value;
  return z.unknown().meta(shown);
}
