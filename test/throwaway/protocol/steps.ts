import type { Reply } from "@slipway/protocols/dispatch/dispatcher";
import { stepKind } from "@slipway/protocols/narration/step-kind";
import { narrates, type NarratedStep } from "@slipway/protocols/narration/step-text";

export interface Note {
  readonly text: string;
}

export const STEPS = { writer: stepKind("writer:*").records<Reply<Note>>() } as const;

export const NARRATION: readonly NarratedStep[] = [
  narrates(STEPS.writer, {
    role: "writer",
    starts: "writer at work",
    ends: (reply) => ({ text: reply.ok ? "the writer has answered" : "the writer failed", good: reply.ok }),
  }),
];
