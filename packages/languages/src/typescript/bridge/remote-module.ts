import { openConversation } from "./conversation.ts";
import { openLines } from "./lines.ts";
import { openMembrane } from "./membrane.ts";
import type { BatchTimes, CallBatch } from "./measured-calls.ts";
import { malformed, ModuleGone } from "./wire.ts";

// Tests may replace the global timers.
const { setImmediate, setTimeout } = globalThis;
const lines = openLines();
const gone = (why: string | null) => new ModuleGone(`The process that runs the module has ended${why === null ? "" : `: ${why}`}.`);
const conversation = openConversation({ lines, mark: ">", gone, serve: (request) => membrane.serve(request) });
const setters: (() => void)[] = [];
const membrane = openMembrane({
  side: "test",
  ask(request) {
    // During any request, asynchronous work of the module may continue.
    pump();
    return conversation.ask(request);
  },
  onNews: () => pump(),
  onUnpacked: () => setters.forEach((set) => set()),
});

export const writeResult = (line: string): void => lines.write(line);
export const { checkpoint } = membrane;
export const isThrownByModule = (error: unknown): boolean => error instanceof ModuleGone || membrane.isThrownThere(error);

type Attach = (set: (values: Record<string, unknown>) => void) => void;

/** By path in the module: how a stub gets the values of its exports, now and after each change. */
export const attachments = new Map<string, Attach>();

/** Loads a file in the module process, and returns its exports. */
export function loadValues(path: string): Record<string, unknown> {
  return membrane.outcome(conversation.ask({ do: "load", path })) as Record<string, unknown>;
}

/** Loads a file in the module process, and returns the names of its exports. */
export function loadNames(path: string): string[] {
  const values = loadValues(path);
  attachments.set(path, (set) => {
    setters.push(() => set(values));
    set(values);
  });
  return Object.keys(values).filter((name) => name.isWellFormed());
}

type Prepared = (n: number) => readonly [target: object, given: readonly unknown[]];

/**
 * How generated tests measure calls in the module's process. With `names` (exports by their files), `prepared` is carried out there from its
 * text, so that a set-up of many calls does not cross; otherwise the arguments that it makes here are sent once for each size.
 */
export function measureCalls(prepared: Prepared, names?: Readonly<Record<string, string>>): (batch: CallBatch) => BatchTimes {
  if (names !== undefined) membrane.outcome(conversation.ask({ do: "compile", source: String(prepared), names: Object.entries(names) }));
  const sent = new Set<number>();
  return (batch) => {
    if (names === undefined && !sent.has(batch.n)) membrane.keep(batch.n, ...prepared(batch.n));
    sent.add(batch.n);
    const started = performance.now();
    const answer = membrane.outcome(conversation.ask({ do: "measure", ...batch }));
    return timesOf(answer, batch.parts, performance.now() - started);
  };
}

/** The times are those of the module's process, and cannot be longer than this process has waited. */
function timesOf(answer: unknown, parts: number, waited: number): BatchTimes {
  const [setup = Number.NaN, ...times] = String(answer).split(" ").map(Number);
  const sum = times.reduce((total, time) => total + time, setup);
  return times.length === parts && times.every((time) => time >= 0) && sum <= waited ? { setup, times } : malformed("no times");
}

const SLOWEST_MS = 4;
let pumping: NodeJS.Immediate | NodeJS.Timeout | null = null;
let rounds = 0;

/** Runs the module's event loop along with this one, while there is something to wait for. */
function pump(): void {
  rounds = 0;
  pumping ??= setImmediate(round);
}

function round(): void {
  pumping = null;
  const alive = membrane.outcome(conversation.ask({ do: "turn", ...membrane.pack([]) }));
  if (alive !== true || pumping !== null) return;
  rounds++;
  pumping = rounds < 3 ? setImmediate(round) : setTimeout(round, Math.min(rounds - 2, SLOWEST_MS));
}
