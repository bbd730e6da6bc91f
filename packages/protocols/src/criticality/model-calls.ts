import type { Db } from "@slipway/kernel/record/database/tables";
import type { PlayedAlias } from "./models/skills.ts";
import type { CriticalityPhase } from "./routing/roles.ts";
import { readInvocations, type InvocationRow } from "./store.ts";
import type { TelemetryEvent } from "./telemetry/events.ts";

/** One invocation of a model that a run has made. */
export interface ModelCall {
  /** Of the invocation: `<run>/<step>`. */
  readonly id: string;
  readonly alias: PlayedAlias;
  readonly phase: CriticalityPhase;
}

/** Calls since the last transition, and since the conversation began that the next archive takes. */
export interface ModelCalls {
  note(call: ModelCall): void;
  /** The events of the calls since the last `taken`, from the records. */
  events(db: Db): Promise<TelemetryEvent[]>;
  taken(): void;
  /** Where the transcripts of the conversation are stored, in the order of the calls. */
  transcripts(db: Db): Promise<StoredTranscript[]>;
  /** Forgets the conversation. */
  clear(): void;
}

export interface StoredTranscript {
  readonly role: PlayedAlias;
  readonly digest: string;
}

export function openModelCalls(): ModelCalls {
  const [unseen, conversation]: [ModelCall[], ModelCall[]] = [[], []];
  return {
    note(call) {
      unseen.push(call);
      conversation.push(call);
    },
    async events(db) {
      const rows = await rowsOf(db, unseen);
      return rows.map(callEvent).toSorted((a, b) => a.timestamp.localeCompare(b.timestamp));
    },
    taken: () => void unseen.splice(0),
    async transcripts(db) {
      const rows = await rowsOf(db, conversation);
      return rows.flatMap(([{ alias: role }, { transcript_digest: digest }]) => (digest === null ? [] : [{ role, digest }]));
    },
    clear: () => void conversation.splice(0),
  };
}

async function rowsOf(db: Db, calls: readonly ModelCall[]): Promise<[ModelCall, InvocationRow][]> {
  const rows = new Map(
    (
      await readInvocations(
        db,
        calls.map(({ id }) => id),
      )
    ).map((row) => [row.id, row]),
  );
  return calls.flatMap((call): [ModelCall, InvocationRow][] => {
    const row = rows.get(call.id);
    return row === undefined ? [] : [[call, row]];
  });
}

function callEvent([{ alias, phase }, row]: [ModelCall, InvocationRow]): TelemetryEvent {
  return {
    timestamp: new Date(row.at).toISOString(),
    event: "model_call",
    data: {
      model: row.model ?? row.provider,
      role: alias,
      phase,
      tokensIn: row.input_tokens,
      tokensOut: row.output_tokens,
      durationMs: row.duration_ms,
      usd: row.cost_usd,
    },
  };
}
