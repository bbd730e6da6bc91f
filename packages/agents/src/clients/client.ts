import type { ReplyUsage } from "../usage.ts";
import type { AgentEvent, ProviderRequest } from "../provider.ts";
import type { NativeTool } from "../tools/native-tools.ts";
import type { Credentials } from "./credentials.ts";
import type { UsageLog } from "./usage-log.ts";

export const CLIENT_NAMES = ["claude", "codex", "gemini", "opencode"] as const;

export type ClientName = (typeof CLIENT_NAMES)[number];

/** A command line client: its program, its arguments, and the reader of its output. */
export interface Client {
  readonly name: ClientName;
  readonly title: string;
  /** Name on the PATH. */
  readonly program: string;
  /** A command line for people who do not have it. */
  readonly install: string;
  /** The version `npm run test:clients` tests. */
  readonly tried: string;
  /** Instructions for people who are not signed in. */
  readonly signIn: string;
  /** Variables for a key, first match wins; `as` is the name the process gets. */
  readonly keys: readonly { readonly variable: string; readonly as: string }[];
  /** The client's stored sign-in, reduced to what is needed; null if there is none or it has expired. */
  readonly signedIn: (login: Login) => SignIn | null;
  /** For a client that holds an answer to a schema: whether it does with this one. */
  readonly holdsSchema?: (schema: ProviderRequest["schema"]) => boolean;
  readonly prepare: (session: ClientSession) => Preparation;
  /** Its own names of these tools, and of what it always has; null if it always has a shell, which can do everything its sandbox lets it. */
  readonly offered: (tools: readonly NativeTool[]) => readonly string[] | null;
  readonly read: (emit: (event: AgentEvent) => void, now: () => number) => StreamReader;
  /** For a client whose stream does not report usage while it runs. */
  readonly usageLog?: UsageLog;
  /** For a client that waits silently: recognises a wait in a line of its plugin, whatever protocol it speaks. */
  readonly waits?: (line: Readonly<Record<string, unknown>>, now: number) => ClientError | null;
}

/** The parts of the user's client state that may be read. */
export interface Login {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file; null when there is none. */
  readonly read: (path: string) => string | null;
  readonly now: number;
  readonly model: string | null;
}

/** The part of the sign-in the process gets. */
export interface SignIn {
  /** Files for its HOME, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Values that must be redacted. */
  readonly secrets: readonly string[];
}

/** The input of `prepare`. */
export interface ClientSession {
  readonly request: ProviderRequest;
  readonly home: string;
  readonly baseUrl: string | null;
  readonly credentials: Credentials;
  /** Unguessable, for names that must not occur in a pack. */
  readonly nonce: string;
}

export interface Preparation {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files written into the HOME of the process beforehand, by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly input: string;
  /** host:port of its models. */
  readonly hosts: readonly string[];
  /** Converts the answer back, if it was requested in another format. */
  readonly unwrap?: (text: string) => string;
}

/** Reads the lines of a client's stream and keeps the result. */
export interface StreamReader {
  readonly line: (event: Readonly<Record<string, unknown>>) => void;
  readonly result: () => StreamResult;
}

export interface StreamResult {
  /** The final answer; null while there is none. */
  readonly answer: string | null;
  /** Whether the client reported that it finished. */
  readonly complete: boolean;
  readonly usage: ReplyUsage;
  readonly model: string | null;
  readonly error: ClientError | null;
  /** What a client that still waits waits for: why there is no answer, if it ends now. */
  readonly waitsFor?: ClientError | null;
}

/** Why there is no answer, according to the client. */
export interface ClientError {
  readonly kind: "auth" | "rate_limit" | "quota" | "refusal" | "context" | "model" | "budget" | "outage" | "other";
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly wakeAt?: number | null;
}
