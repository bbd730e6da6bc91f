import type { JournalEvent } from "@slipway/durable/chain";
import { REPAIR, repairBy } from "@slipway/kernel/change/work/repair";
import type { DoorEvent } from "@slipway/kernel/record/operations/door";
import type { Records } from "@slipway/kernel/record/storage";

/** Repairs are operations of the repository, not steps of the run: this hands their events to whoever shows the run. */
export function tellRepairs(records: () => Pick<Records, "database">, tell: (event: JournalEvent) => void) {
  let work = Promise.resolve();
  return {
    note({ name, phase, operationId }: DoorEvent): void {
      if (name !== REPAIR || phase !== "committed") return;
      work = work
        .then(async () => {
          const event = await repairBy(records(), operationId);
          if (event !== undefined) tell(event);
        })
        // It is in the journal and in events.jsonl, whatever becomes of this line.
        .catch(() => undefined);
    },
    settled: () => work,
  };
}
