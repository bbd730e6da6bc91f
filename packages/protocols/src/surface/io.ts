/** Everything a command may touch of the process around it; tests pass their own. */
export interface Io {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Output goes to a screen that can be redrawn. */
  readonly terminal: boolean;
  /** Somebody is there to be asked. */
  readonly interactive: boolean;
  readonly color: boolean;
  readonly columns: number;
  readonly rows: number;
  /** Text for people and lines of JSON. What is not printable is shown as what it is, also in a pipe. */
  out(text: string): void;
  err(text: string): void;
  /** What another program takes byte for byte, such as a patch. On a terminal it is shown like any text. */
  bytes(bytes: Uint8Array): void;
}
