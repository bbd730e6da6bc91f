import type { Watch } from "./line.ts";

/** Finished transcripts on their way to disk. The next provider starts only after they are synced. */
export interface Arrival {
  /** `toDisk` starts alongside the next invocation, or shortly after if there is none. */
  ended(name: string, toDisk: () => Promise<void>): void;
  /** The next invocation has its file: from now on an fsync delays no other file. */
  begin(): void;
  readonly watch: Watch;
}

const SOON_MS = 20;

export function openArrival(onWarning: (warning: string) => void): Arrival {
  const due: (() => Promise<void>)[] = [];
  const onTheirWay = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | null = null;

  function begin(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    for (const go of due.splice(0)) {
      const arrived = go().finally(() => onTheirWay.delete(arrived));
      onTheirWay.add(arrived);
    }
  }

  return {
    begin,
    ended(name, toDisk) {
      const failed = (error: unknown) => onWarning(`the transcript of the ${name} may be lost in a power cut: ${String(error)}`);
      due.push(() => toDisk().catch(failed));
      timer ??= setTimeout(begin, SOON_MS);
    },
    watch({ kind }) {
      if (kind !== "sent") return undefined;
      begin();
      return onTheirWay.size === 0 ? undefined : Promise.all(onTheirWay).then(() => undefined);
    },
  };
}
