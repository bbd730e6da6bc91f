import type { JournalEvent } from "@slipway/durable/chain";
import { momentText } from "./moment.ts";
import { endedLine, type NarratedStep, type StepLine } from "./step-text.ts";

interface EventPayload {
  readonly title?: string;
  readonly by?: string;
  readonly ms?: number;
  readonly failure?: { readonly message?: string };
}

/** One event of a run as text: the end of a step, or a question, an answer, a retry or a pause between the steps. */
export function eventLine(rows: readonly NarratedStep[], { kind, name, payload, at }: JournalEvent): StepLine | null {
  if (kind === "step") return endedLine(rows, name, payload);
  const given = JSON.parse(payload) as EventPayload;
  if (kind === "asked") return { text: given.title === undefined ? "asks a person" : `asks: ${given.title}`, good: null };
  if (kind === "answered") return { text: `answered by ${given.by ?? "a person"}`, good: null };
  if (kind === "retry") return { text: `retrying ${name}: ${given.failure?.message ?? "no reason given"}`, good: null };
  if (kind === "sleeping" && name.startsWith("pause:")) return { text: `resumes at ${momentText(at + Number(given.ms))}`, good: null };
  return null;
}
