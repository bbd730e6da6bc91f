import { z } from "zod";

const variable = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/);

/** Agents that speak the Agent Client Protocol over stdio, under names of your choice: `acp:<name>`. */
export const acpPart = z.record(
  z.string().regex(/^[a-z][a-z0-9-]*$/),
  z.strictObject({
    /** Program and arguments. May be left out for claude, codex, gemini and opencode. */
    command: z.array(z.string().min(1)).min(1).optional(),
    timeout_seconds: z.number().positive().optional(),
    /** Folders it needs besides its own program's, read-only; relative to the repository unless absolute. */
    programs: z.array(z.string().min(1)).prefault([]),
    /** host:port it may reach; instead of those that are known for it. */
    hosts: z.array(z.string().min(1)).optional(),
    /** Where its models are reached, for the agents that are known. */
    base_url: z.url().optional(),
    /** Variables it gets, by name. */
    env: z.array(variable).prefault([]),
    /** How it signs in when it asks, by its own name for it. */
    auth_method: z.string().min(1).optional(),
    /** The session mode it works in, by its own name for it. */
    mode: z.string().min(1).optional(),
  }),
);

export type AcpConfig = z.output<typeof acpPart>[string];
