import { isUtf8 } from "node:buffer";
import { digestOf, sha256 } from "@slipway/durable/canonical";

export interface PackItem {
  /** A path in the repository, or a description. */
  readonly title: string;
  /** Such as spec, file, plan, diff, log. */
  readonly kind: string;
  readonly text: string;
  /** The text without what differs from run to run, such as times; digests are computed over it. */
  readonly stable?: string;
}

/** Bytes that may not be text. */
export interface PackBytes extends Omit<PackItem, "text" | "stable"> {
  readonly bytes: Uint8Array;
}

export interface PackSection extends PackItem {
  /** SHA-256 of the packed text in its stable form, or of the bytes if they are not text. */
  readonly digest: string;
}

/** Exactly what one invocation sees, in this order. */
export interface Pack {
  readonly sections: readonly PackSection[];
  /** Over all titles, kinds and contents, in order. */
  readonly digest: string;
}

export function createPack(items: readonly (PackItem | PackBytes)[]): Pack {
  const sections = items.map(section);
  return { sections, digest: digestOf(sections.map(({ title, kind, digest }) => [title, kind, digest])) };
}

function section(item: PackItem | PackBytes): PackSection {
  const { kind } = item;
  // A lone surrogate, as a careless cut leaves it, can be neither hashed nor stored.
  const title = item.title.toWellFormed();
  if ("text" in item) {
    const [text, stable] = [item.text.toWellFormed(), item.stable?.toWellFormed()];
    return { title, kind, text, digest: sha256(stable ?? text), ...(stable === undefined ? {} : { stable }) };
  }
  const digest = sha256(item.bytes);
  const text = isUtf8(item.bytes) ? new TextDecoder().decode(item.bytes) : `(${item.bytes.byteLength} bytes that are not text)`;
  return { title, kind, text, digest };
}
