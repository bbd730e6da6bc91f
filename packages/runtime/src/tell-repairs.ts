import type { JournalEvent } from "@slipway/durable/chain";
import { REPAIR, repairBy } from "@slipway/kernel/change/work/repair";
import type { DoorEvent } from "@slipway/kernel/record/operations/door";
import type { Records } from "@slipway/kernel/record/storage";

/** Repairs are operations of the repository, not steps of the run: passes their events to the display of the run. */
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
        // The repair is in the journal and in journal.jsonl even if this line fails.
        .catch(() => undefined);
    },
    settled: () => work,
  };
}
