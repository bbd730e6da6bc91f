/** What the first bytes of a connection say about where it leads. */
export type FirstBytes =
  | { readonly kind: "incomplete" }
  | { readonly kind: "other" }
  | { readonly kind: "broken" }
  /** `name` is null without a server name; `hidden` with an encrypted inner hello, whose name nobody else can read. */
  | { readonly kind: "hello"; readonly name: string | null; readonly hidden: boolean };

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const ENCRYPTED_HELLO = 0xfe0d;
const LARGEST_RECORD = 2 ** 14 + 256;
export const LARGEST_HELLO = 2 ** 16;

class Broken extends Error {}

/** Reads a TLS ClientHello, which may come in several records, each in several pieces. */
export function readFirstBytes(bytes: Buffer): FirstBytes {
  if (bytes.length === 0) return { kind: "incomplete" };
  if (bytes[0] !== HANDSHAKE_RECORD) return { kind: "other" };
  try {
    const message = handshake(bytes);
    return message === null ? { kind: "incomplete" } : { kind: "hello", ...extensionsOf(message) };
  } catch (error) {
    if (error instanceof Broken || error instanceof RangeError) return { kind: "broken" };
    throw error;
  }
}

/** The body of the first handshake message; null if it is not complete. */
function handshake(bytes: Buffer): Buffer | null {
  let message = Buffer.alloc(0);
  for (let at = 0; bytes.length >= at + 5;) {
    const length = bytes.readUInt16BE(at + 3);
    if (bytes[at] !== HANDSHAKE_RECORD || bytes[at + 1] !== 3 || length === 0 || length > LARGEST_RECORD) throw new Broken();
    message = Buffer.concat([message, bytes.subarray(at + 5, at + 5 + length)]);
    if (message.length > 0 && message[0] !== CLIENT_HELLO) throw new Broken();
    const size = message.length < 4 ? null : message.readUIntBE(1, 3);
    if (size !== null && size > LARGEST_HELLO) throw new Broken();
    if (size !== null && message.length >= 4 + size) return message.subarray(4, 4 + size);
    at += 5 + length;
  }
  return null;
}

function extensionsOf(hello: Buffer): { readonly name: string | null; readonly hidden: boolean } {
  // Version and random, then session id, cipher suites and compression methods.
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  let name: string | null = null;
  let hidden = false;
  if (at === hello.length) return { name, hidden };
  if (at + 2 + hello.readUInt16BE(at) !== hello.length) throw new Broken();
  for (at += 2; at < hello.length;) {
    const [type, length] = [hello.readUInt16BE(at), hello.readUInt16BE(at + 2)];
    const value = hello.subarray(at + 4, at + 4 + length);
    if (value.length !== length) throw new Broken();
    if (type === SERVER_NAME) {
      // Two names would leave it to the server which one counts.
      if (name !== null) throw new Broken();
      name = serverName(value);
    }
    hidden ||= type === ENCRYPTED_HELLO;
    at += 4 + length;
  }
  return { name, hidden };
}

function serverName(list: Buffer): string {
  const length = list.readUInt16BE(3);
  if (list.readUInt16BE(0) !== list.length - 2 || list.readUInt8(2) !== 0 || length !== list.length - 5 || length === 0) throw new Broken();
  return list.toString("latin1", 5).toLowerCase().replace(/\.$/, "");
}
