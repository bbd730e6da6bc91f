import { jsonLine } from "@slipway/protocols/surface/escape";
import { mkdir, readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { cassetteWriter, entryMaker } from "@slipway/agents/record";
import { headOf, readTranscript } from "@slipway/agents/transcripts/read";
import { SlipwayError } from "../errors.ts";
import { telemetryOfRun } from "@slipway/kernel/budget/telemetry";
import type { Records } from "@slipway/kernel/record/storage";
import { MARK } from "@slipway/kernel/host/redaction/contract";
import { ANY_STATUS, chooseRun } from "@slipway/runtime/choose";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { withReader } from "@slipway/runtime/reader";

/** Makes a cassette from the transcripts of a run. */
export const run: RunCommand = (args, io) =>
  withReader(io, async ({ records, engine }) => {
    const [action, named, folder] = args.positionals;
    if (action !== "export") {
      throw new SlipwayError("invalid_cli_args", `There is no \`slipway record ${action}\`.`, {
        suggested_next_actions: ["Use `slipway record export RUN [FOLDER]`; to record during a run, `slipway run … --record FOLDER`."],
      });
    }
    const { runId } = await chooseRun(engine, named, ANY_STATUS);
    const into = resolve(io.cwd, folder ?? `${runId}.cassette`);
    await assertEmpty(into);
    const exported = await exportRun(records, runId, into);
    if (args.flag("json")) io.out(jsonLine({ ok: exported.missing.length === 0, run: runId, folder: into, ...exported }));
    else {
      io.out(`${exported.entries} answers of ${runId} are in ${into}.\n`);
      for (const name of exported.missing) io.out(`missing: ${name} has no transcript\n`);
      for (const name of exported.redacted) io.out(`redacted: ${name} contained a secret, so its replay differs\n`);
      io.out(`Replay them: slipway run SPEC.md --agent-provider replay --cassette ${into}\n`);
    }
    return exported.missing.length === 0 ? EXIT.done : EXIT.failed;
  });

interface Exported {
  readonly entries: number;
  /** Invocations whose transcript is missing. */
  readonly missing: readonly string[];
  /** Answers with redacted parts. */
  readonly redacted: readonly string[];
}

async function exportRun(records: Records, runId: string, folder: string): Promise<Exported> {
  const { objects, clock } = records;
  const writer = cassetteWriter({ folder, description: `Exported from the run ${runId}.`, clock });
  const missing: string[] = [];
  const redacted: string[] = [];
  let entries = 0;
  for (const { id, transcript_digest: digest } of await telemetryOfRun(records, runId)) {
    const path = digest === null ? null : objects.pathOf(digest);
    const head = path === null ? null : await headOf(path).catch(absent);
    if (path === null || head === null) {
      missing.push(id);
      continue;
    }
    const tape = entryMaker(head);
    for await (const line of readTranscript(path, digest)) if (line.kind !== "invocation") void tape.watch(line);
    const made = tape.entries();
    if (JSON.stringify(made).includes(MARK)) redacted.push(id);
    await writer.write(made);
    entries += made.length;
  }
  return { entries, missing, redacted };
}

function absent(error: unknown): null {
  if (error instanceof SlipwayError && error.code === "object_missing") return null;
  throw error;
}

/** A folder must not mix the answers of two recordings. */
async function assertEmpty(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length === 0) return;
  throw new SlipwayError("invalid_cli_args", `${folder} is not empty.`, {
    file: folder,
    suggested_next_actions: ["Name a folder that does not exist yet."],
  });
}
