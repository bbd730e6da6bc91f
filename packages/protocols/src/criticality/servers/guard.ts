import { SlipwayError } from "@slipway/agents/errors";
import type { Kernel } from "@slipway/kernel/kernel";
import { ACTOR_TYPES, Refusal, type Operation } from "@slipway/kernel/record/operations/operation";
import { tool, type AnyTool, type ToolDefinition } from "@slipway/kernel/tools/tool";
import { z } from "zod";
import type { ServerSession } from "../../tool-server.ts";
import { accessTo, ACCESS_ROLES, mayCall, rolesWith, type AccessRole } from "../models/access.ts";
import type { ServerName, ServerToolName } from "./names.ts";

/** Who is at a server, and what it may do there. */
export interface ServerGuard {
  readonly role: AccessRole | null;
  /** `PATH#NAME`: the only function that may be worked on; null for all. */
  readonly function: string | null;
  /** The findings of scanners are all that the role may see. */
  readonly isScannerOnly: boolean;
  readonly ref: string | null;
  readonly env: ServerSession["env"];
  tool<I, O>(definition: Omit<ToolDefinition<I, O>, "caller" | "roles" | "name"> & { readonly name: ServerToolName }): AnyTool;
  /** Records the refusal in the journal, then throws it. */
  refuse(kernel: Kernel, name: ServerToolName, why: string): Promise<never>;
}

const refusedInput = z.strictObject({
  server: z.string(),
  tool: z.string(),
  role: z.string(),
  why: z.string(),
  allowed_roles: z.array(z.string()),
});

const refuseCall: Operation<z.output<typeof refusedInput>, undefined, null> = {
  name: "criticality.refuse_call",
  roles: ACTOR_TYPES,
  input: refusedInput,
  commit: async (_tx, { server, tool: name, role, why, allowed_roles }) =>
    new Refusal(
      new SlipwayError("forbidden_tool_for_role", `${name} of ${server} was refused: ${why}. The call was recorded.`, {
        server,
        tool: name,
        role,
        allowed_roles,
        suggested_next_actions: [`Allowed roles: ${allowed_roles.join(", ")}.`],
      }),
      { server, tool: name, role, why },
    ),
};

export function openGuard(server: ServerName, session: ServerSession): ServerGuard {
  const role = ACCESS_ROLES.find((known) => known === session.role) ?? null;
  const mode = role === null ? null : accessTo(role, server);
  if (mode === "one function" && session.function === null) throw needsFunction(`The role ${role} works on one function`);
  if (session.function !== null && !FUNCTION_ID.test(session.function))
    throw needsFunction(`${JSON.stringify(session.function)} is no function`);
  const id = role ?? "client";

  async function refuse(kernel: Kernel, name: ServerToolName, why: string): Promise<never> {
    const operationId = kernel.records.ids.next("refused");
    const input = { server, tool: name, role: id, why, allowed_roles: rolesWith(server, name) };
    await kernel.door.perform(refuseCall, { type: "orchestrator", id }, operationId, input);
    throw new TypeError("A refused call has no answer.");
  }

  async function admit(kernel: Kernel, name: ServerToolName): Promise<void> {
    if (role !== null && !mayCall(role, server, name)) await refuse(kernel, name, `it is not open to the role "${role}"`);
  }

  return {
    role,
    function: session.function,
    isScannerOnly: mode === "security scanners only",
    ref: session.ref,
    env: session.env,
    refuse,
    tool: (definition) =>
      tool({ ...definition, roles: ["orchestrator", "system"], caller: { id, admit: (kernel) => admit(kernel, definition.name) } }),
  };
}

const FUNCTION_ID = /^[^#\0]+#[^#\0]+$/;

function needsFunction(why: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", `${why}; name one with --function PATH#NAME.`, {
    suggested_next_actions: ["For example `--function src/domain/account.ts#deposit`."],
  });
}
