import type { Refusal } from "@slipway/agents/provider";
import { canonicalJson, sha256 } from "@slipway/durable/canonical";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Operation } from "@slipway/kernel/record/operations/operation";
import { visible } from "@slipway/kernel/paths/paths";
import { z } from "zod";

/** One event names at most so many; an agent that tries more is counted. */
const MOST = 50;
const MAX_TEXT = 300;

const refusedInput = z.strictObject({
  role: z.string(),
  subject: z.string(),
  refusals: z.array(z.strictObject({ tool: z.string(), path: z.string().nullable(), reason: z.string() })),
  count: z.int(),
});
type RefusedInput = z.infer<typeof refusedInput>;

const refused: Operation<RefusedInput, void, null> = {
  name: "agent.refused",
  roles: ["orchestrator", "system"],
  input: refusedInput,
  commit: async () => null,
  event: ({ role, subject, refusals, count }) => ({ role, subject, refusals, count }),
};

export interface RefusedWork {
  readonly role: string;
  readonly subject: string;
  readonly invocation: string;
  readonly call: Call;
}

/** Records what an agent tried and was not allowed. Its id contains the digest: another try of the same invocation may differ. */
export async function recordRefusals(
  { door }: Pick<Kernel, "door">,
  { role, subject, invocation, call }: RefusedWork,
  refusals: readonly Refusal[],
): Promise<void> {
  if (refusals.length === 0) return;
  const shown = refusals.slice(0, MOST).map(({ tool, path, reason }) => ({
    tool: cut(tool),
    path: path === null ? null : cut(path),
    reason: cut(reason),
  }));
  const input: RefusedInput = { role, subject, refusals: shown, count: refusals.length };
  await door.relaxed.perform(refused, call.actor, `${invocation}/refused:${sha256(canonicalJson(input)).slice(0, 16)}`, input);
}

/** Names come from the agent. */
function cut(text: string): string {
  const safe = visible(text).slice(1, -1);
  return safe.length > MAX_TEXT ? `${safe.slice(0, MAX_TEXT)}…`.toWellFormed() : safe;
}
