import { constants } from "node:os";

/** A process was not started. */
export interface SpawnError {
  /** An errno name such as ENOENT, or SANDBOX_SETUP. */
  readonly code: string;
  readonly message: string;
  /** Worth another try: the machine was short of processes, memory or descriptors. */
  readonly transient: boolean;
}

/** A file of the host, or one without a name that holds a text or bytes; open at its beginning, to read. */
export type FileDescriptor = { readonly from: string } | { readonly text: string } | { readonly bytes: Uint8Array };

/** What stands behind one descriptor of a process: with `pipe` a stream of ours, with `feed` a text that ends. */
export type Descriptor = "ignore" | "pipe" | { readonly feed: string } | FileDescriptor;

export interface StartRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: readonly Descriptor[];
  /** A command that sets limits and then runs what is written behind it. */
  readonly limits?: readonly string[];
  /** When this process ends, however it does, so does what is started, with all its descendants. */
  readonly bound?: boolean;
  /** What is done in the new process before its program starts. Only the launcher can: without it, what is not needed is left out. */
  readonly prepare?: readonly PreparationStep[];
}

/**
 * In this order: a session keyring of its own; as root, a mount namespace with a folder in memory that shows paths of the host, root's
 * files there being the user's; that user in place of root; a layer over a folder: what is written below `place` goes to `upper`.
 */
export type PreparationStep =
  | readonly ["keyring"]
  | readonly ["stage", uid: string, gid: string, at: string, ...triples: string[]]
  | readonly ["user", uid: string, gid: string]
  | readonly ["layer", place: string, upper: string, work: string];

/** A process that lacks one of these would write where it must not. */
export function isNeeded([name]: PreparationStep): boolean {
  return name !== "keyring";
}

/** A start that is asked of the launcher: instead of a pipe stands the number of a connection that it has made. */
export interface RemoteStart extends Omit<StartRequest, "stdio" | "limits" | "bound"> {
  readonly id: number;
  readonly stdio: readonly (Exclude<Descriptor, "pipe"> | { readonly connection: number })[];
}

export type ProcessEnding = readonly [code: number | null, signal: NodeJS.Signals | null];

export type RemoteReport =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly error: SpawnError }
  | { readonly id: number; readonly ending: ProcessEnding };

/** Where the launcher finds us, in its first order. */
export interface Introduction {
  readonly address: string;
  readonly secret: string;
  /** What it starts ends when we do. */
  readonly bound: boolean;
}

/** The first line on a connection, so that nobody else's is taken for one of the launcher's. */
export function greeting(secret: string, connection: number): string {
  return `${secret} ${connection}\n`;
}

/** Connections that are made before they are needed. */
const SPARE_CONNECTIONS = 16;

export function introductionOrder({ address, secret, bound }: Introduction): Buffer {
  return framed([address, secret, String(SPARE_CONNECTIONS), bound ? "yes" : ""]);
}

export function startOrder({ id, cwd, file, args, env, stdio, prepare = [] }: RemoteStart): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const steps = prepare.map((step) => listed(step));
  return framed([String(id), cwd, file, ...counted(args), ...counted(variables), ...counted(steps), ...stdio.flatMap(placed)]);
}

type Text = string | Uint8Array;

function counted(list: readonly Text[]): Text[] {
  return [String(list.length), ...list];
}

function placed(wanted: RemoteStart["stdio"][number]): [kind: string, value: Text] {
  if (wanted === "ignore") return [wanted, ""];
  if ("connection" in wanted) return ["connection", String(wanted.connection)];
  if ("feed" in wanted) return ["feed", wanted.feed];
  if ("bytes" in wanted) return ["text", wanted.bytes];
  return "text" in wanted ? ["text", wanted.text] : ["path", wanted.from];
}

/** Every text behind its length, and the whole behind its own. */
function framed(texts: readonly Text[]): Buffer {
  const list = listed(texts);
  return Buffer.concat([lengthOf(list.length), list]);
}

function listed(texts: readonly Text[]): Buffer {
  const parts = texts.flatMap((text) => {
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    return [lengthOf(bytes.length), bytes];
  });
  return Buffer.concat(parts);
}

function lengthOf(length: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(length);
  return bytes;
}

/** One line of the launcher's: an id, what it tells of it, and two values. */
export function parseReport(line: string): RemoteReport {
  const [, number, kind, first = "", second = ""] = /^(\d+) (\w+) (\S+) ?(.*)$/.exec(line) ?? [];
  const id = Number(number);
  if (kind === "pid") return { id, pid: Number(first) };
  if (kind === "error") return { id, error: { code: first, message: second, transient: isTransient(first) } };
  return { id, ending: second === "0" ? [Number(first), null] : [null, signalNamed(Number(second))] };
}

function signalNamed(number: number): NodeJS.Signals {
  const [name = "SIGKILL"] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return name as NodeJS.Signals;
}

const TRANSIENT = new Set(["EAGAIN", "ENOMEM", "EMFILE", "ENFILE", "ETXTBSY"]);

export function isTransient(code: string): boolean {
  return TRANSIENT.has(code);
}
