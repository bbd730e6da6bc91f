import type { ProtocolChoice } from "@slipway/agents/select";
import { reviewerKey } from "./dispatch/assignment.ts";
import { DEFAULT_ASSIGNMENTS } from "./rules/reviewers.ts";

/** The clients that play the three models where agents.yaml says nothing. */
const CLIENTS: Readonly<Record<string, string>> = {
  "gpt-5.3-codex": "codex",
  "gemini-3-pro-preview": "gemini",
  "claude-opus-4.6": "claude",
};

/** Each reviewer has a key of its own, so that three models can be chosen in agents.yaml. */
export async function reviewerModels(_read: (path: string) => Promise<string | null>): Promise<Record<string, ProtocolChoice>> {
  return Object.fromEntries(
    DEFAULT_ASSIGNMENTS.map(({ model, review_focus }): [string, ProtocolChoice] => [
      reviewerKey(review_focus),
      { role: "adversarial-reviewer", named: null, usual: { provider: CLIENTS[model] ?? "claude", model } },
    ]),
  );
}
