// Writes the cassette of `slipway demo factory`: `npm run record:demo-factory`.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CASSETTE_FILE, entryPath } from "@slipway/agents/cassette";
import { isOpen, nextOpening, readHours } from "./later-scenes.ts";
import { edited, joinSpans, product, readDays, readTime, writeTime } from "./scenes.ts";

const ABOUT = {
  version: 1,
  created: "2026-11-16",
  description: "The answers of the factory demo's roles, written by test/demo-factory/author.ts.",
};

const SCENES = {
  cassette: [product, readTime, writeTime, readDays, joinSpans, readHours, isOpen, nextOpening],
  "cassette-edited": [edited],
};

/** Every file of both cassettes, by its path. Prompts contain random ids and the time, so they have no digests. */
export function cassetteFiles(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(SCENES).flatMap(([folder, scenes]) => [
      [join(folder, CASSETTE_FILE), text(ABOUT)],
      ...scenes
        .flatMap((scene) => scene())
        .map(({ role, subject, attempt, output }) => {
          const entry = { role, subject, attempt, repair: 0, prompt_digest: null, model: null, output };
          return [join(folder, entryPath(entry)), text(entry)];
        }),
    ]),
  );
}

function text(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const DEMO = join(import.meta.dirname, "..", "..", "packages", "protocols", "demos", "factory");

if (import.meta.main) {
  for (const folder of Object.keys(SCENES)) rmSync(join(DEMO, folder), { recursive: true, force: true });
  for (const [path, content] of Object.entries(cassetteFiles())) {
    mkdirSync(dirname(join(DEMO, path)), { recursive: true });
    writeFileSync(join(DEMO, path), content);
  }
}
