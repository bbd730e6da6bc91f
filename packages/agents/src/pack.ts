import { isUtf8 } from "node:buffer";
import { digestOf, sha256 } from "@slipway/durable/canonical";

export interface PackItem {
  /** A path in the repository, or what the text is. */
  readonly title: string;
  /** What kind of thing it is, such as spec, file, plan, diff, log. */
  readonly kind: string;
  readonly text: string;
}

/** Bytes that may or may not be text. */
export interface PackBytes extends Omit<PackItem, "text"> {
  readonly bytes: Uint8Array;
}

export interface PackSection extends PackItem {
  /** SHA-256 of what was packed; for bytes that are no text, of the bytes. */
  readonly digest: string;
}

/** Exactly what one invocation may see, in the order in which it is shown. */
export interface Pack {
  readonly sections: readonly PackSection[];
  /** Over every title, kind and content, in order. */
  readonly digest: string;
}

export function createPack(items: readonly (PackItem | PackBytes)[]): Pack {
  const sections = items.map(section);
  return { sections, digest: digestOf(sections.map(({ title, kind, digest }) => [title, kind, digest])) };
}

function section(item: PackItem | PackBytes): PackSection {
  const { kind } = item;
  // Half a character, as a careless cut leaves one, can be neither hashed nor stored.
  const title = item.title.toWellFormed();
  if ("text" in item) return { title, kind, text: item.text.toWellFormed(), digest: sha256(item.text.toWellFormed()) };
  const digest = sha256(item.bytes);
  const text = isUtf8(item.bytes) ? new TextDecoder().decode(item.bytes) : `(${item.bytes.byteLength} bytes that are not text)`;
  return { title, kind, text, digest };
}
