import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CASSETTE_FILE, entryPath } from "@slipway/agents/cassette";

const DEMOS = join(import.meta.dirname, "..", "packages", "protocols", "demos");

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

export interface AuthoredCassette {
  /** Below packages/protocols/demos. */
  readonly demo: string;
  readonly answers: readonly AuthoredAnswer[];
}

/** The files of a demo's cassette, by path below its folder. */
export function cassetteFiles({ demo, answers }: AuthoredCassette): Record<string, string> {
  const description = `The answers of the roles of this demo, written by test/demo-${demo}/author.ts.`;
  const entries = answers.map(({ repair = 0, model, ...answer }): [string, object] => {
    const key = { ...answer, repair };
    return [entryPath(key), { ...key, prompt_digest: null, ...(model === undefined ? {} : { model }) }];
  });
  const all: [string, object][] = [[CASSETTE_FILE, { version: 1, created: "2026-11-18", description }], ...entries];
  return Object.fromEntries(all.map(([path, value]) => [path, `${JSON.stringify(value, null, 2)}\n`]));
}

export function writeCassette(authored: AuthoredCassette): void {
  const folder = join(DEMOS, authored.demo, "cassette");
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(cassetteFiles(authored))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** What is in the demo's folder now. */
export function recordedCassette(demo: string): Record<string, string> {
  const folder = join(DEMOS, demo, "cassette");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}
