export const MARK = "[redacted]";

/** Text in, text out; what cannot be decided yet is held back until more comes, or the end. */
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
