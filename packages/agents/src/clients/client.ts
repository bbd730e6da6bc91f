import type { ReplyUsage } from "../usage.ts";
import type { AgentEvent, ProviderRequest } from "../provider.ts";
import type { Credentials } from "./credentials.ts";
import type { Diary } from "./diary.ts";

export const CLIENT_NAMES = ["claude", "codex", "gemini", "opencode"] as const;

export type ClientName = (typeof CLIENT_NAMES)[number];

/** One coding agent's command line client: what it is called, what it is told, how its words are read. */
export interface Client {
  readonly name: ClientName;
  readonly title: string;
  /** As it is called on the PATH. */
  readonly program: string;
  /** A command line, for the person who does not have it. */
  readonly install: string;
  /** The version that `npm run test:clients` tries. */
  readonly tried: string;
  /** How to sign in, for the person who is not. */
  readonly signIn: string;
  /** Variables with a key, the first one that is set counts; `as` is the name under which the process gets it. */
  readonly keys: readonly { readonly variable: string; readonly as: string }[];
  /** What the client keeps of a sign-in, made as small as will do; null when there is none or it has run out. */
  readonly signedIn: (login: Login) => SignIn | null;
  readonly prepare: (session: Session) => Preparation;
  readonly read: (emit: (event: AgentEvent) => void, now: () => number) => StreamReader;
  /** For one that does not say in its stream what it has taken so far. */
  readonly diary?: Diary;
  /** For one that waits in silence: what a line says that it was made to write, whatever protocol it speaks otherwise. */
  readonly waits?: (line: Readonly<Record<string, unknown>>, now: number) => Trouble | null;
}

/** The user's own state of a client, as far as it may be looked at. */
export interface Login {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The text of a file; null when there is none. */
  readonly read: (path: string) => string | null;
  readonly now: number;
  readonly model: string | null;
}

/** What of it is shown to the process. */
export interface SignIn {
  /** For its HOME, by path. */
  readonly files: Readonly<Record<string, string>>;
  /** Values that must appear nowhere. */
  readonly secrets: readonly string[];
}

/** What one invocation is prepared from. */
export interface Session {
  readonly request: ProviderRequest;
  readonly home: string;
  readonly baseUrl: string | null;
  readonly credentials: Credentials;
  /** A word nobody can guess, for names that must not be met in a pack. */
  readonly nonce: string;
}

export interface Preparation {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Written into the HOME of the process beforehand, by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly input: string;
  /** host:port of its models. */
  readonly hosts: readonly string[];
  /** What the answer's text stands for, where it had to be asked for in another form. */
  readonly unwrap?: (text: string) => string;
}

/** Takes the lines of a client's stream as they come and keeps only what they came to. */
export interface StreamReader {
  readonly line: (event: Readonly<Record<string, unknown>>) => void;
  readonly result: () => StreamResult;
}

export interface StreamResult {
  /** Its last word; null while there is none. */
  readonly answer: string | null;
  /** Whether the client said itself that it has finished. */
  readonly complete: boolean;
  readonly usage: ReplyUsage;
  readonly model: string | null;
  readonly trouble: Trouble | null;
}

/** Why there is no answer, as the client has it. */
export interface Trouble {
  readonly kind: "auth" | "rate_limit" | "quota" | "refusal" | "context" | "model" | "budget" | "other";
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly wakeAt?: number | null;
}
