import { z } from "zod";

/** What the suite asks every provider for. */
export const ANSWER = z.strictObject({ verdict: z.enum(["yes", "no"]), reason: z.string() });
export const VALID = JSON.stringify({ verdict: "yes", reason: "It greets." });
export const INVALID = JSON.stringify({ verdict: "perhaps" });

/** The only file of the workplace at the start. */
export const GREETING = { path: "greeting.txt", text: "Hello from the pack, 4f1c.\n" } as const;
export const EDITED = "Hello from the agent, 9b2e.\n";

/** The way the one behind the provider, a model or a program, is to behave. */
export type Behaviour =
  /** One answer for each time it is asked; the last one again after that. */
  | { readonly does: "answer"; readonly answers: readonly string[] }
  | { readonly does: "refuse" }
  /** Reads a file with its own tool, then answers. */
  | { readonly does: "read"; readonly path: string; readonly answer: string }
  /** Writes a file with its own tool, then answers. */
  | { readonly does: "write"; readonly path: string; readonly content: string; readonly answer: string }
  /** Was reached and never answers. */
  | { readonly does: "hang" }
  /** Hangs, with a child of its own. */
  | { readonly does: "hang with a child" }
  /** 429, with this much to wait, or without a word about it. */
  | { readonly does: "rate limit"; readonly retryAfterSeconds: number | null }
  | { readonly does: "out of quota" }
  /** No key and no sign-in. */
  | { readonly does: "no credentials" }
  /** Dies in the middle of the work. */
  | { readonly does: "crash" }
  /** What it says breaks off; it ends as if nothing were wrong. */
  | { readonly does: "break off" }
  /** Says everything and is killed before it could end by itself. */
  | { readonly does: "answer and be killed"; readonly answer: string }
  | { readonly does: "exit 0 silently" }
  /** More than anybody should say. */
  | { readonly does: "flood" };

export type CaseName =
  | "schema-valid answer"
  | "repair after invalid output"
  | "refusal"
  | "tool use"
  | "file edits returned as a patch"
  | "timeout"
  | "cancel"
  | "rate limit"
  | "quota"
  | "auth missing"
  | "crash"
  | "truncated stream"
  | "output without exit code"
  | "exit 0 without output"
  | "huge output"
  | "process group killed with no orphans";
