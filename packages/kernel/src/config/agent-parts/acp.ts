import { z } from "zod";

/** Agents that speak the Agent Client Protocol over stdio, by a name of your own: `acp:<name>`. */
export const acpPart = z.record(
  z.string().regex(/^[a-z][a-z0-9-]*$/),
  z.strictObject({
    command: z.array(z.string().min(1)).min(1),
    timeout_seconds: z.number().positive().optional(),
    /** host:port it may reach. */
    hosts: z.array(z.string()).prefault([]),
    /** Variables it gets, by name. */
    env: z.array(z.string()).prefault([]),
  }),
);
