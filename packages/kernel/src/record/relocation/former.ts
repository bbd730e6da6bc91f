import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Layout } from "../../host/layout.ts";

/** Paths that Slipway 0.1 used for files that are now below the common git directory. */
export function formerPlaces({ state }: Pick<Layout, "state">) {
  return {
    database: join(state, "slipway.db"),
    objects: join(state, "objects"),
    transcripts: (run: string) => join(state, "runs", run, "transcripts"),
    /** Not needed: recreated elsewhere. */
    unused: [join(state, "packs")],
  };
}

/** The old and the new path of each object and unfinished transcript. */
export function filesToMove(layout: Layout): [from: string, to: string][] {
  const former = formerPlaces(layout);
  const objects = foldersIn(former.objects)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => pairs(join(former.objects, name), join(layout.objects, name), /^[0-9a-f]{62}$/));
  const transcripts = foldersIn(layout.runs).flatMap((run) =>
    // The folder's name is the encoded run id; keep it as it is.
    pairs(former.transcripts(run), join(layout.truth, "transcripts", run), /\.jsonl$/),
  );
  return [...objects, ...transcripts];
}

function pairs(from: string, to: string, wanted: RegExp): [string, string][] {
  return entriesOf(from)
    .filter((entry) => entry.isFile() && wanted.test(entry.name))
    .map(({ name }) => [join(from, name), join(to, name)]);
}

function foldersIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
