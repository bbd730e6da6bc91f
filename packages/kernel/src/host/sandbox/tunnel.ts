import { isIP, type Socket } from "node:net";
import type { HostPort } from "./hosts.ts";
import { LARGEST_HELLO, readFirstBytes, type FirstBytes } from "./tls-hello.ts";

/** Far longer than a client needs for its first message. */
const HELLO_WITHIN_MS = 30_000;
/** Each record of a hello has a header of five bytes, however little it carries. */
const MOST_BYTES = 6 * LARGEST_HELLO;

export interface Beyond {
  /** Connects the client to the host, beginning with these bytes. */
  join(first: Buffer): void;
  /** Serves the client as plain HTTP; the bytes that were read can be read again. */
  plain(): void;
  refuse(reason: string): void;
}

/** Reads the first message of a client in a tunnel, and connects it only if that is for the tunnel's host. */
export function enter(client: Socket, head: Buffer, target: HostPort, { join, plain, refuse }: Beyond): void {
  let bytes = head;
  const timer = setTimeout(() => done(() => refuse("nothing complete was sent")), HELLO_WITHIN_MS);
  client.on("data", read).once("close", stop).once("end", cutOff);
  judge();

  function read(chunk: Buffer): void {
    bytes = Buffer.concat([bytes, chunk]);
    judge();
  }

  function judge(): void {
    const first = readFirstBytes(bytes);
    if (first.kind === "incomplete") return bytes.length > MOST_BYTES ? done(() => refuse("its first message has no end")) : undefined;
    if (first.kind === "other")
      return done(() => {
        client.unshift(bytes);
        plain();
      });
    const reason = objection(first, target);
    done(() => (reason === null ? join(bytes) : refuse(reason)));
  }

  function cutOff(): void {
    done(() => client.destroy());
  }

  function stop(): void {
    clearTimeout(timer);
    client.off("data", read).off("close", stop).off("end", cutOff);
  }

  function done(next: () => void): void {
    stop();
    client.pause();
    next();
  }
}

/** Null if the message is for the host. */
function objection(first: Exclude<FirstBytes, { readonly kind: "incomplete" | "other" }>, { host }: HostPort): string | null {
  if (first.kind === "broken") return "its TLS hello cannot be read";
  if (first.hidden) return "its TLS hello hides the server's name";
  if (first.name === host) return null;
  // An address is no server name.
  if (first.name === null) return isIP(host) === 0 ? "its TLS hello names no server" : null;
  return `its TLS hello is for ${JSON.stringify(first.name.slice(0, 100))}`;
}

export function nameOf({ host, port }: HostPort): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
