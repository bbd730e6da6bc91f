import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CASSETTE_FILE, entryPath } from "@slipway/agents/cassette";

/** One authored answer of a cassette. */
export interface AuthoredAnswer {
  readonly role: string;
  readonly subject: string;
  readonly attempt: string;
  /** 1 for the answer after the first refusal. */
  readonly repair?: number;
  readonly model?: string;
  /** A value … */
  readonly output?: unknown;
  /** … or the text exactly as the agent says it. */
  readonly text?: string;
}

/** Replaces the cassette's folder. */
export function writeCassette(
  folder: string,
  { description, answers }: { readonly description: string; readonly answers: readonly AuthoredAnswer[] },
): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const write = (path: string, value: unknown) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
  };
  write(join(folder, CASSETTE_FILE), { version: 1, created: "2026-11-18", description });
  for (const { repair = 0, model, ...answer } of answers) {
    const key = { ...answer, repair };
    write(join(folder, entryPath(key)), { ...key, prompt_digest: null, ...(model === undefined ? {} : { model }) });
  }
}
