export const MARK = "[redacted]";

/** Redacts a stream of text; holds back text that may be part of a secret until more text or the end arrives. */
export interface TextStream {
  write(chunk: string): string;
  end(): string;
}

export interface Redactor {
  text(text: string): string;
  /** Every string in a JSON-like value, keys included. */
  value<T>(value: T): T;
  stream(): TextStream;
}
