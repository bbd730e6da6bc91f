import { openQuestion } from "@slipway/durable/inbox";
import type { Call } from "@slipway/kernel/record/operations/call";
import { archivesLattice, needsArchive, putConversation } from "./archive.ts";
import { modelOfTier } from "./config/models.ts";
import { addPhaseTime, overtimeText, type PhaseTime } from "./config/phase-limits.ts";
import type { CriticalityRun } from "./criticality-run.ts";
import { ledgerToml } from "./ledger/ledger-toml.ts";
import { printStateFile, STATE_FILE } from "./machine/state-file.ts";
import { subStateName, type CriticalityState } from "./machine/states.ts";
import { notified } from "./machine/tick.ts";
import type { ModelCalls, StoredTranscript } from "./model-calls.ts";
import { blockQuestion } from "./phases/resolve-phase.ts";
import { progressIn, runStateFile } from "./run-state-file.ts";
import { addTransition, startTrace, type RunTrace } from "./run-trace.ts";
import type { StateObserver, TakenTransition } from "./state-keeper.ts";
import { writeCheckpoint } from "./store.ts";
import { EVENTS_FILE, eventLine } from "./telemetry/events.ts";
import { elapsedMs } from "./telemetry/tally.ts";
import { printTelemetry, telemetryFrom, TELEMETRY_FILE } from "./telemetry/telemetry.ts";
import { placeOf, transitionEvents } from "./telemetry/transition-events.ts";
import { artifactsOf, type Work } from "./work.ts";
import { showWork } from "./work-files.ts";

export const LEDGER_FILE = "ledger.toml";

export interface ProjectionParts {
  readonly run: CriticalityRun;
  readonly calls: ModelCalls;
  readonly work: () => Work;
  readonly resolve: StateObserver["resolve"];
}

export interface RunProjection extends StateObserver {
  /** Writes the state again with a new time, while no transition happens. */
  touch(): Promise<void>;
}

/** Everything that is written about a run: its files, its row, and the news of a new phase. */
export function openRunProjection({ run, calls, work, resolve }: ProjectionParts): RunProjection {
  const { ctx, files, services } = run;
  const { kernel } = services;
  const { records, clock } = kernel;
  const { db } = records.database;
  let trace: RunTrace = startTrace(new Date(0).toISOString());
  let shown: Work | null = null;
  let row: WrittenArtifacts = { work: null, artifacts: "" };
  let current: CriticalityState | null = null;
  let time: PhaseTime = { place: "ignition", ms: 0 };
  const [archives, ledgers, conversations] = [counter(), counter(), counter()];

  const read = async (digest: string) => Buffer.from(await records.objects.get(digest)).toString("utf8");
  const telemetry = (state: CriticalityState) =>
    telemetryFrom({ runId: ctx.runId, projectName: run.id, startedAt: trace.tally.startedAt }, trace.tally, progressIn(state, work()));

  function putState(state: CriticalityState, at: string): void {
    current = state;
    const file = runStateFile({ projectId: run.id, state, work: work(), trace, archived: files.below("archive"), at });
    files.put(STATE_FILE, printStateFile(file));
  }

  async function putLedger(): Promise<void> {
    const entries = await run.ledger.list(`ledger:${ledgers.next()}`);
    const spec_version = work().specification?.spec.meta.version ?? NO_SPEC;
    files.put(LEDGER_FILE, ledgerToml({ spec_version, created: trace.tally.startedAt }, entries));
  }

  /** The time is part of the operation's id: after a kill between this and the end of the step, the step writes another state. */
  async function writeRow(state: CriticalityState, step: string, at: string): Promise<void> {
    const artifacts = work() === row.work ? row.artifacts : JSON.stringify(artifactsOf(work()));
    const call: Call = { actor: { type: "orchestrator", id: `orchestrator@${ctx.runId}` }, operationId: `${ctx.runId}/${step}@${at}` };
    await writeCheckpoint(kernel.door, call, {
      run_id: ctx.runId,
      project: run.id,
      at: subStateName(state),
      state: JSON.stringify(state),
      telemetry: JSON.stringify(telemetry(state)),
      artifacts: artifacts === row.artifacts ? null : artifacts,
    });
    row = { work: work(), artifacts };
  }

  /** Recorded, so that a replay takes the same way. */
  async function archive(before: CriticalityState, transition: TakenTransition): Promise<string | null> {
    const about = { phase: placeOf(before), number: conversations.current() + 1 };
    const put = (transcripts: readonly StoredTranscript[]) => putConversation(files, about, transcripts, read);
    if (archivesLattice(transition)) files.move("lattice", `archive/lattice/${work().rounds.lattice}`);
    const { transcripts, problem } = await ctx.step(`archive:${archives.next()}`, async () => {
      const stored = await calls.transcripts(db);
      put(stored);
      return { transcripts: stored, problem: (await files.flush())?.message ?? null };
    });
    put(transcripts);
    if (problem !== null) return `The files of the phase ${about.phase} could not be archived. ${problem}`;
    conversations.next();
    return null;
  }

  return {
    resolve,
    async start(state) {
      if (state.type !== "active") return;
      trace = startTrace(state.data.startedAt);
      files.put(LEDGER_FILE, ledgerToml({ spec_version: NO_SPEC, created: trace.tally.startedAt }, []));
      files.put(TELEMETRY_FILE, printTelemetry(telemetry(state)));
      putState(state, state.data.startedAt);
      await ctx.step("state:0", () => writeRow(state, "state:0", trace.tally.startedAt));
    },
    async leave(before, transition) {
      if (placeOf(before) === placeOf(transition.state) && !needsArchive(before, transition)) return null;
      await putLedger();
      const problem = needsArchive(before, transition) ? await archive(before, transition) : null;
      if (problem === null) calls.clear();
      return problem;
    },
    complete(facts, now) {
      if (facts.completion === undefined) return facts;
      const { startedAt, cost } = trace.tally;
      const summary = { ...facts.completion.summary, cost: cost.totalUSD, durationMs: elapsedMs(startedAt, now) };
      return { ...facts, completion: { ...facts.completion, summary } };
    },
    async events(change) {
      return [...(await calls.events(db)), ...transitionEvents(change, (tier) => modelOfTier(run.config, tier).model)];
    },
    note(change, events) {
      trace = addTransition(trace, change, events);
      time = addPhaseTime(time, events, placeOf(change.after));
      calls.taken();
      for (const event of events) files.append(EVENTS_FILE, eventLine(event).trimEnd());
      showWork(files, shown, work());
      shown = work();
      files.put(TELEMETRY_FILE, printTelemetry(telemetry(change.after)));
      putState(change.after, change.at);
      const phase = placeOf(change.after);
      if (phase !== placeOf(change.before)) files.put(`checkpoints/${phase}.json`, files.text(STATE_FILE) ?? "");
    },
    async write({ before, after, at }, step) {
      await files.flush();
      await writeRow(after, step, at);
      const phase = placeOf(after);
      if (after.type !== "active" || phase === placeOf(before)) return;
      const state = { type: "active" as const, run_id: ctx.runId, phase, from: placeOf(before) };
      await kernel.notifier.tell(`${ctx.runId}:${phase}:${step}`, { event: "phase_change", state });
    },
    overtime: () => overtimeText(time, run.config.orchestrator),
    async notify(blocked, question) {
      const now = clock.now();
      const at = new Date(now).toISOString();
      await kernel.notifier.block(openQuestion(ctx.runId, question, blockQuestion(run, blocked), now));
      if (!(await kernel.notifier.wasTold(`${ctx.runId}#${question}`))) return null;
      const state = notified(blocked);
      putState(state, at);
      await files.flush();
      await writeRow(state, `notified:${question}`, at);
      return at;
    },
    noteNotified: putState,
    async touch() {
      if (current === null) return;
      putState(current, new Date(clock.now()).toISOString());
      await files.flush();
    },
  };
}

/** The artifacts of the row, as JSON, and the work that they were made from. */
interface WrittenArtifacts {
  readonly work: Work | null;
  readonly artifacts: string;
}

/** Before a specification is approved. */
const NO_SPEC = "0.0.0";

function counter() {
  let value = 0;
  return { next: () => ++value, current: () => value };
}
