import type { QaView } from "@slipway/kernel/change/judge/qa-operations";

/** Hunks in one QA session. */
const MAX_HUNKS = 40;

/** The part of the test index that one QA session sees and works on. */
export interface Entries {
  readonly version: number;
  readonly pending: QaView["pending"];
}

/** The first open hunks in index order, without the paths that QA wrote itself: the gates decide on those. */
export function nextBatch({ index, pending }: QaView, writtenByQa: readonly string[]): Entries {
  let room = MAX_HUNKS;
  const open = pending.filter(({ path }) => !writtenByQa.includes(path));
  const taken = open.map(({ path, hunks }) => {
    const some = hunks.slice(0, Math.max(0, room));
    room -= some.length;
    return { path, hunks: some };
  });
  return { version: index.version, pending: taken.filter(({ hunks }) => hunks.length > 0) };
}

export function countOf({ pending }: Pick<Entries, "pending">): number {
  return pending.reduce((sum, { hunks }) => sum + hunks.length, 0);
}
