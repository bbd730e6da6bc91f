import { z } from "zod";

/** The answer the suite requests from every provider. */
export const ANSWER = z.strictObject({ verdict: z.enum(["yes", "no"]), reason: z.string() });
export const VALID = JSON.stringify({ verdict: "yes", reason: "It greets." });
export const INVALID = JSON.stringify({ verdict: "perhaps" });

/** The only file of the workplace at the start. */
export const GREETING = { path: "greeting.txt", text: "Hello from the pack, 4f1c.\n" } as const;
export const EDITED = "Hello from the agent, 9b2e.\n";

/** The behaviour of the model or program behind the provider. */
export type Behaviour =
  /** One answer per call; the last one repeats. */
  | { readonly does: "answer"; readonly answers: readonly string[] }
  | { readonly does: "refuse" }
  /** Reads a file with its own tool, then answers. */
  | { readonly does: "read"; readonly path: string; readonly answer: string }
  /** Writes a file with its own tool, then answers. */
  | { readonly does: "write"; readonly path: string; readonly content: string; readonly answer: string }
  /** Receives the request and never answers. */
  | { readonly does: "hang" }
  /** Hangs, with a child process. */
  | { readonly does: "hang with a child" }
  /** 429, with or without a retry time. */
  | { readonly does: "rate limit"; readonly retryAfterSeconds: number | null }
  | { readonly does: "out of quota" }
  /** No key and no sign-in. */
  | { readonly does: "no credentials" }
  /** Crashes during the work. */
  | { readonly does: "crash" }
  /** Its output breaks off, but it exits normally. */
  | { readonly does: "break off" }
  /** Completes its output and is killed before it exits. */
  | { readonly does: "answer and be killed"; readonly answer: string }
  | { readonly does: "exit 0 silently" }
  /** More output than the limit allows. */
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
