import type { JournalEvent } from "@slipway/durable/chain";
import type { BudgetGlance, FeatureGlance } from "@slipway/kernel/change/views/board/board";
import { findLayout, openGlance, type GlanceWindow } from "@slipway/kernel/open-board";

/** The features of the run whose events are seen, as the dashboard has them. */
export interface FeatureWatch {
  features(): readonly FeatureGlance[];
  /** The limits of the run. */
  budgets(): readonly BudgetGlance[];
  seen(event: JournalEvent): void;
  started(runId: string, step: string): void;
  close(): void;
}

export function watchFeatures(cwd: string): FeatureWatch {
  let window: GlanceWindow | null = null;
  let run: string | null = null;
  /** Since when a run wants to run its gates. */
  const gates = new Map<string, number>();
  let opening = false;
  let closed = false;

  async function open(): Promise<void> {
    opening = true;
    const opened = await openGlance(findLayout(cwd));
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
      // Whatever is wrong with the database, the run itself says it better.
      if (!opening) void open().catch(() => undefined);
    },
    close() {
      closed = true;
      window?.close();
    },
  };
}

/** Only so many gates run at once; that one stands in line for it is in no table, because nothing has begun. */
function withGate(feature: FeatureGlance, since: number | undefined): FeatureGlance {
  return feature.at_work !== null || since === undefined ? feature : { ...feature, at_work: { step: "gate-line", since } };
}
