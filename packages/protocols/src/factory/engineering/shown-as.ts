import { shownSchema } from "@slipway/agents/json-schema";
import { z } from "zod";

/**
 * The schema as the role is told it; any JSON is let through. For roles whose answers are checked here, where what is wrong with them
 * has consequences of its own and the number of tries is part of the protocol.
 */
export function shownAs(schema: z.ZodType): z.ZodType {
  const { $schema: _, ...shown } = shownSchema(schema).value;
  return z.unknown().meta(shown);
}
