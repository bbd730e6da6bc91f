import { SlipwayError } from "@slipway/agents/errors";
import { readAs } from "../contract/problems.ts";
import { callOf, type CrewRun } from "../crew-run.ts";
import { recordedStatus, STATUS_FILE } from "../dispatch/accept-files.ts";
import { writeTextVerified, writeVerified } from "../decisions/verified-write.ts";
import { passesGate } from "../decisions/gate-answers.ts";
import { statusSchema, type CrewStatus } from "../session/status.ts";
import { GATE_STATES, type GateState } from "../states/states.ts";

/** What a write left: the status of the row, and why the file on disk is not the same. */
export interface Saved {
  readonly status: CrewStatus | null;
  readonly problem: string | null;
  /** Why the session took this step, for people. */
  readonly why: string;
  /** Gates whose decision somebody took back in the file since the last write. */
  readonly revoked: readonly GateState[];
}

export interface SessionWrite {
  /** Made with the time of the write. */
  readonly status?: (at: string) => Promise<CrewStatus> | CrewStatus;
  readonly texts: Readonly<Record<string, string | null>>;
  readonly why: string;
}

/** One write of the session's files: the rows first, then the files, which are read again and compared. */
export async function saveFiles(run: CrewRun, step: string, { status, texts, why }: SessionWrite): Promise<Saved> {
  const { files, change } = run;
  const call = callOf(run, step);
  const at = new Date(change.services.kernel.clock.now()).toISOString();
  const next = status === undefined ? null : validStatus({ ...(await status(at)), last_update: at });
  const before = recordedStatus(await files.text(STATUS_FILE));
  const onDisk = recordedStatus(await files.onDisk(STATUS_FILE));
  let isRepeat = before?.last_update === at;
  const port = {
    read: async (path: string) => (await files.onDisk(path)) ?? "",
    write: async (path: string, text: string) => {
      await files.write(call, { ...texts, [path]: text }).catch(async (error: unknown) => {
        // The write was made before a crash, at another time: its rows stand.
        if (!(error instanceof SlipwayError) || error.code !== "operation_conflict") throw error;
        isRepeat = true;
        await files.restore();
      });
    },
  };
  const first = Object.entries(texts).find((entry): entry is [string, string] => entry[1] !== null);
  const written =
    next !== null
      ? await writeVerified(port, STATUS_FILE, next)
      : first === undefined
        ? { ok: true as const }
        : await writeTextVerified(port, first[0], first[1]);
  const recorded = recordedStatus(await files.text(STATUS_FILE));
  const isSame = (await files.onDisk(STATUS_FILE)) === (await files.text(STATUS_FILE));
  const problem = written.ok || (isRepeat && isSame) ? null : written.error;
  // After a crash between rows and file, the file is only late.
  return { status: recorded, problem, why, revoked: isRepeat ? [] : revokedGates(before, onDisk) };
}

function revokedGates(row: CrewStatus | null, file: CrewStatus | null): GateState[] {
  if (row === null || file === null) return [];
  return GATE_STATES.filter((gate) => passesGate(gate, row.user_decisions) && !passesGate(gate, file.user_decisions));
}

/** With its keys in the order of the schema. */
function validStatus(status: CrewStatus): CrewStatus {
  const read = readAs(statusSchema, status);
  if (read.ok) return read.value;
  throw new SlipwayError("schema_validation_failed", `status.json would not be valid: ${read.problems.join("; ")}`, {
    file: STATUS_FILE,
    suggested_next_actions: ["This is a defect of the protocol: report it with the run's id."],
  });
}
