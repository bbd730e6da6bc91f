import { writeFileSync } from "node:fs";
import type { Neighbours } from "./neighbours.ts";
import type { TestRunner } from "./test-runner.ts";

/** How many of a source's nearest test files run first, and after them: the first one is short more often than not. The rest of the room follows. */
const FIRST = 1;
const NEXT = 3;

/** The tests of a room, the nearest to the source first, in parts; `most` of them. Paths are absolute. */
export function batchesFor(
  source: string,
  filters: readonly string[],
  { files, folder, neighbours }: { readonly files: readonly string[]; readonly folder: string; readonly neighbours: Neighbours },
  most = Infinity,
): string[][] {
  const isOfRoom = (file: string) => filters.some((filter) => file.startsWith(`${folder}/${filter}`));
  const near = neighbours
    .of(source)
    .map(({ test, distance }) => ({ file: `${folder}/${test}`, distance }))
    .filter(({ file, distance }) => files.includes(file) && (distance <= 1 || isOfRoom(file)))
    .map(({ file }) => file);
  const order = [...near, ...files.filter((file) => isOfRoom(file) && !near.includes(file))].slice(0, most);
  return [order.slice(0, FIRST), order.slice(FIRST, FIRST + NEXT), order.slice(FIRST + NEXT)].filter((batch) => batch.length > 0);
}

export interface Notice {
  /** What noticed the broken line; null if nothing did. */
  readonly by: string | null;
  /** Test files that fail with the line as it was. */
  readonly unreliable: readonly string[];
}

/**
 * Breaks one line, and runs the parts until a test fails. A failure counts only if its file passes with the line as it was, because a busy
 * machine fails tests too; `passing` has the files that did. A time-out counts under the same condition.
 */
export async function notice(
  runner: TestRunner,
  { file, before, text }: { readonly file: string; readonly before: string; readonly text: string },
  batches: readonly (readonly string[])[],
  passing: Set<string>,
): Promise<Notice> {
  const unreliable: string[] = [];
  const runWith = (content: string, files: readonly string[]) => {
    writeFileSync(file, content);
    return runner.run({ changed: file, files });
  };
  try {
    for (const batch of batches) {
      let left = [...batch];
      while (left.length > 0) {
        const broken = await runWith(text, left);
        if (broken !== null && broken.failures.length === 0) break;
        const suspects = broken === null ? left : [...new Set(broken.failures.map((failure) => failure.file))];
        const isTimeOut = broken === null || broken.failures.every(({ why }) => /timed out/i.test(why));
        if (isTimeOut || !suspects.some((suspect) => passing.has(suspect))) {
          const control = await runWith(before, suspects);
          if (control === null || control.failures.length > 0) {
            const failing = control === null ? suspects : control.failures.map((failure) => failure.file);
            unreliable.push(...failing);
            left = left.filter((one) => !failing.includes(one));
            continue;
          }
          for (const suspect of suspects) passing.add(suspect);
        }
        const [first] = broken?.failures ?? [];
        return { by: first === undefined ? "no end" : `${first.file}: ${first.title}: ${first.why.split("\n")[0]}`, unreliable };
      }
    }
    return { by: null, unreliable };
  } finally {
    writeFileSync(file, before);
    await runner.run({ changed: file, files: [] });
  }
}
