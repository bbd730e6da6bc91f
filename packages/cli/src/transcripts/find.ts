import { headOf, openTranscripts, readTranscript } from "@slipway/agents/transcripts/read";
import { SlipwayError } from "../errors.ts";
import { telemetryOfRun, type Telemetry } from "@slipway/kernel/budget/telemetry";
import type { Records } from "@slipway/kernel/record/storage";
import { liveSupervisor } from "@slipway/kernel/record/run-lease/holder";

/** done: has an outcome. tried: failed temporarily, or was stopped. cut: its process died. */
type State = "done" | "under way" | "tried" | "cut";

export interface FoundTranscript {
  /** `<feature>/<role>:<attempt>` if the run has features, otherwise the name of the step. */
  readonly name: string;
  readonly role: string;
  readonly provider: string;
  readonly model: string | null;
  readonly state: State;
  readonly at: number;
  readonly file: string;
  readonly digest: string | null;
  readonly paid: Pick<Telemetry, "input_tokens" | "output_tokens" | "cost_usd" | "duration_ms" | "calls"> | null;
}

/** All invocations of a run, oldest first, including failed ones. */
export async function transcriptsOf(records: Records, runId: string): Promise<FoundTranscript[]> {
  const finished = (await telemetryOfRun(records, runId)).flatMap((row) => ofRow(records, runId, row));
  const open = await Promise.all((await openTranscripts(records.layout.transcripts(runId))).map((file) => ofFile(records, runId, file)));
  return [...finished, ...open.flat()].toSorted((a, b) => a.at - b.at);
}

function ofRow({ objects }: Records, runId: string, row: Telemetry): FoundTranscript[] {
  const { id, provider, model, transcript_digest: digest, at } = row;
  if (digest === null) return [];
  // The head of a transcript has the role without its protocol.
  const role = row.role.slice(row.role.lastIndexOf("/") + 1);
  return [{ name: nameOf(runId, id), role, provider, model, state: "done", at, file: objects.pathOf(digest), digest, paid: row }];
}

async function ofFile(records: Records, runId: string, file: string): Promise<FoundTranscript[]> {
  const head = await headOf(file);
  if (head === null || !`${head.run}/`.startsWith(`${runId}/`)) return [];
  const { run, step, role, provider, model, at } = head;
  return [
    {
      name: nameOf(runId, `${run}/${step}`),
      role,
      provider,
      model,
      state: await stateOf(records, file),
      at,
      file,
      digest: null,
      paid: null,
    },
  ];
}

/** While a supervisor is alive it may still be writing the file; otherwise the file was cut off. */
async function stateOf(records: Records, file: string): Promise<State> {
  for await (const { kind } of readTranscript(file)) if (kind === "stopped" || kind === "ended") return "tried";
  return (await liveSupervisor(records)) === null ? "cut" : "under way";
}

function nameOf(runId: string, operationId: string): string {
  return operationId.slice(runId.length + 1).replace(/^feature:/, "");
}

/** By full name, or by step if only one feature has it. The last of several attempts counts. */
export function chooseTranscript(all: readonly FoundTranscript[], runId: string, step: string): FoundTranscript {
  const named = all.filter(({ name }) => name === step || name.endsWith(`/${step}`));
  const names = [...new Set(named.map(({ name }) => name))];
  const last = named.at(-1);
  if (last !== undefined && names.length === 1) return last;
  const known = [...new Set(all.map(({ name }) => name))].join(", ");
  throw new SlipwayError(
    "invalid_cli_args",
    last === undefined
      ? `Run ${runId} has no transcript of ${step}. It has ${known === "" ? "none" : known}.`
      : `${step} is ambiguous: ${names.join(", ")}.`,
    { run_id: runId, suggested_next_actions: [`Choose one of those that \`slipway transcript ${runId}\` lists.`] },
  );
}
