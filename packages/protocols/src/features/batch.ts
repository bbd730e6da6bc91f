import type { QaView } from "@slipway/kernel/change/judge/qa-operations";

/** How many hunks one QA session is given. */
const MAX_HUNKS = 40;

/** The part of the test index that one QA session works on, as it is shown to it. */
export interface Entries {
  readonly version: number;
  readonly pending: QaView["pending"];
}

/** The first open hunks in the index's order. `settledBy` are paths whose hunks QA itself has written: the gates decide on those. */
export function nextBatch({ index, pending }: QaView, settledBy: readonly string[]): Entries {
  let room = MAX_HUNKS;
  const open = pending.filter(({ path }) => !settledBy.includes(path));
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
