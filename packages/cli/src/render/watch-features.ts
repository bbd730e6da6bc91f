import type { JournalEvent } from "@slipway/durable/chain";
import type { BoardBudget, BoardFeature } from "@slipway/kernel/change/views/board/board";
import { findLayout, openBoardReader, type BoardReader } from "@slipway/kernel/open-board";

/** The features of the shown run, as on the dashboard. */
export interface FeatureWatch {
  features(): readonly BoardFeature[];
  /** The budgets of the run. */
  budgets(): readonly BoardBudget[];
  seen(event: JournalEvent): void;
  started(runId: string, step: string): void;
  close(): void;
}

export function watchFeatures(cwd: string): FeatureWatch {
  let window: BoardReader | null = null;
  let run: string | null = null;
  /** Since when each run waits for a gate slot. */
  const gates = new Map<string, number>();
  let opening = false;
  let closed = false;

  async function open(): Promise<void> {
    opening = true;
    const opened = await openBoardReader(findLayout(cwd));
    if (closed) opened.close();
    else window = opened;
  }

  return {
    features() {
      if (window === null || run === null || closed) return [];
      const prefix = `${run}/`;
      const own = window.read().features.filter((feature) => feature.run.startsWith(prefix));
      return own.map((feature) => withGate(feature, gates.get(feature.run)));
    },
    budgets: () => (window === null || run === null || closed ? [] : window.read().budgets.filter((budget) => budget.run === run)),
    started(runId, step) {
      if (step.startsWith("gates:")) gates.set(runId, Date.now());
    },
    seen({ stream, name }) {
      run ??= stream.split("/")[0] ?? stream;
      if (name.startsWith("gates:")) gates.delete(stream);
      // The run itself reports database errors.
      if (!opening) void open().catch(() => undefined);
    },
    close() {
      closed = true;
      window?.close();
    },
  };
}

/** A text of its own: no protocol has such a step. */
const WAITING_FOR_SLOT = "waiting for a free gate slot";

/** The number of gate slots is limited. A wait for one is in no table, because the gate has not begun. */
function withGate(feature: BoardFeature, since: number | undefined): BoardFeature {
  return feature.at_work !== null || since === undefined ? feature : { ...feature, at_work: { step: WAITING_FOR_SLOT, since } };
}
