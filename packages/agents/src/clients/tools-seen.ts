import type { AgentEvent } from "../provider.ts";

/** Enough to see in a transcript what a tool was about. */
const SHOWN_OUTPUT = 64 * 1024;

/** Pairs what a client says before and after it uses a tool. */
export function toolsSeen(emit: (event: AgentEvent) => void, now: () => number) {
  const open = new Map<string, { readonly name: string; readonly input: unknown; readonly at: number }>();
  return {
    begun(id: string, name: string, input: unknown): void {
      open.set(id, { name, input, at: now() });
    },
    begunUnlessKnown(id: string, name: string, input: unknown): void {
      if (!open.has(id)) open.set(id, { name, input, at: now() });
    },
    ended(id: string, output: string, ok: boolean): void {
      const call = open.get(id);
      if (call === undefined) return;
      open.delete(id);
      emit({ kind: "tool", name: call.name, input: call.input, output: output.slice(0, SHOWN_OUTPUT), ok, duration_ms: now() - call.at });
    },
  };
}
