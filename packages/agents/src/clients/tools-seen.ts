import type { AgentEvent } from "../provider.ts";

/** Enough for a reader of the transcript to recognise the call. */
const SHOWN_OUTPUT = 64 * 1024;

/** Pairs the events before and after a tool call. */
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
