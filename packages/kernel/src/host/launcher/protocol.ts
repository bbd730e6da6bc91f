import { constants } from "node:os";

/** Why a process was not started. */
export interface SpawnError {
  /** An errno name such as ENOENT, or SANDBOX_SETUP. */
  readonly code: string;
  readonly message: string;
  /** Worth a retry: the machine was short of processes, memory or descriptors. */
  readonly transient: boolean;
}

/** A file of the host, or an unnamed file with a text or bytes; opened for reading at its beginning. */
export type FileDescriptor = { readonly from: string } | { readonly text: string } | { readonly bytes: Uint8Array };

/** One descriptor of a process: `pipe` is a stream, `feed` a text through a pipe. */
export type Descriptor = "ignore" | "pipe" | { readonly feed: string } | FileDescriptor;

export interface StartRequest {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: readonly Descriptor[];
  /** A command prefix that sets limits, such as prlimit. */
  readonly limits?: readonly string[];
  /** The started process and its descendants are killed when this process ends, for any reason. */
  readonly bound?: boolean;
  /** Of a bound process: a folder that the launcher removes if this process ends first, with everything in it. */
  readonly temporary?: string;
  /** Steps in the new process before its program starts. Only the launcher can do them; without it, optional steps are skipped. */
  readonly prepare?: readonly PreparationStep[];
}

/**
 * In this order: the control groups, which need the rights of the user who made them; a new session keyring; as root, a mount namespace
 * with a tmpfs that shows paths of the host, in which root's files belong to the user; the switch from root to that user; a layer
 * (overlay): writes below `place` go to `upper`; veils (overlays without writes): sockets below the places lead nowhere.
 */
export type PreparationStep =
  | readonly ["join", ...groups: string[]]
  | readonly ["keyring"]
  | readonly ["stage", uid: string, gid: string, at: string, ...triples: string[]]
  | readonly ["user", uid: string, gid: string]
  | readonly ["layer", place: string, upper: string, work: string]
  | readonly ["veil", empty: string, ...places: string[]];

/** Without one of these, the process would write where it must not. */
export function isNeeded([name]: PreparationStep): boolean {
  return name !== "keyring" && name !== "join";
}

/** A start request to the launcher, with connection numbers in place of pipes. */
export interface RemoteStart extends Omit<StartRequest, "stdio" | "limits" | "bound"> {
  readonly id: number;
  readonly stdio: readonly (Exclude<Descriptor, "pipe"> | { readonly connection: number })[];
}

export type ProcessEnding = readonly [code: number | null, signal: NodeJS.Signals | null];

export type RemoteReport =
  | { readonly id: number; readonly pid: number }
  | { readonly id: number; readonly error: SpawnError }
  | { readonly id: number; readonly ending: ProcessEnding };

/** The first order to the launcher: how to connect to us. */
export interface Introduction {
  readonly address: string;
  readonly secret: string;
  /** Its children are killed when we end. */
  readonly bound: boolean;
}

/** The first line on a connection authenticates it as the launcher's. */
export function greeting(secret: string, connection: number): string {
  return `${secret} ${connection}\n`;
}

/** Connections that the launcher makes in advance. */
const SPARE_CONNECTIONS = 16;

export function introductionOrder({ address, secret, bound }: Introduction): Buffer {
  return framed([address, secret, String(SPARE_CONNECTIONS), bound ? "yes" : ""]);
}

export function startOrder({ id, cwd, temporary = "", file, args, env, stdio, prepare = [] }: RemoteStart): Buffer {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const steps = prepare.map((step) => listed(step));
  return framed([String(id), cwd, temporary, file, ...counted(args), ...counted(variables), ...counted(steps), ...stdio.flatMap(placed)]);
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

/** Length-prefixes each text and the whole message. */
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

/** Parses a report line of the launcher: an id, a kind and two values. */
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
