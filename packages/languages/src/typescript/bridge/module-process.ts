/** Runs in its own sandbox, under Node's permission model: the module with its dependencies, without the tests. */
import { join } from "node:path";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { openConversation } from "./conversation.ts";
import { openLines } from "./lines.ts";
import { openMeasuredCalls, type CallBatch } from "./measured-calls.ts";
import { openMembrane } from "./membrane.ts";
import type { WireAnswer, WireRequest } from "./wire.ts";

// The clock of the module may be replaced.
const { setImmediate } = globalThis;
const folder = join(import.meta.dirname, "..");
// The module's stdout must not be taken for answers.
Object.defineProperty(process, "stdout", { value: new Writable({ write: (_chunk, _encoding, done) => done() }) });

const gone = () => new Error("The tests have ended.");
const conversation = openConversation({ lines: openLines(), mark: "", serve: (request) => serve(request), gone });
const measured = openMeasuredCalls();
const membrane = openMembrane({ side: "module", ask: conversation.ask, onKept: measured.keep });
/** Exported bindings may change; each is sent again after a change. */
const loaded: { readonly namespace: Record<string, unknown>; readonly shown: Record<string, unknown> }[] = [];

function serve(request: WireRequest): WireAnswer {
  const answer = membrane.serve(request);
  return loaded.some(refreshed) ? withChangedExports(answer) : answer;
}

/** Changes of exported bindings are sent with the answer. */
function withChangedExports(answer: WireAnswer): WireAnswer {
  if (answer.ended === "fault") return answer;
  const more = membrane.pack([]);
  return { ...answer, objects: [...answer.objects, ...more.objects], settled: [...answer.settled, ...more.settled] };
}

function refreshed({ namespace, shown }: (typeof loaded)[number]): boolean {
  let changed = false;
  for (const name of Object.keys(namespace)) {
    if (Object.is(shown[name], namespace[name])) continue;
    shown[name] = namespace[name];
    changed = true;
  }
  return changed;
}

const namespaceAt = (path: string) => import(pathToFileURL(join(folder, path)).href) as Promise<Record<string, unknown>>;

async function load(path: string): Promise<WireAnswer> {
  try {
    const namespace = await namespaceAt(path);
    const shown = Object.create(null) as Record<string, unknown>;
    loaded.push({ namespace, shown });
    loaded.forEach(refreshed);
    return membrane.answer("returned", shown);
  } catch (error) {
    return membrane.answer("thrown", error);
  }
}

async function compile({ source, names }: Extract<WireRequest, { readonly do: "compile" }>): Promise<WireAnswer> {
  try {
    const values = await Promise.all(names.map(async ([name, path]) => [name, (await namespaceAt(path))[name]] as const));
    measured.compile(source, Object.fromEntries(values));
    return membrane.answer("returned", undefined);
  } catch (error) {
    return membrane.answer("thrown", error);
  }
}

/** The times are a text: an object would stay shared. */
async function measure(batch: CallBatch): Promise<WireAnswer> {
  try {
    const { setup, times } = await measured.measure(batch);
    return membrane.answer("returned", [setup, ...times].join(" "));
  } catch (error) {
    return membrane.answer("thrown", error);
  }
}

/** Standard streams that something was written to. */
const OWN = new Set(["PipeWrap", "TTYWrap"]);

/** One round of the event loop, in which the module's timers and promises run. */
function turn(): Promise<WireAnswer> {
  return new Promise((resolve) => {
    setImmediate(() => {
      loaded.forEach(refreshed);
      resolve(
        membrane.answer(
          "returned",
          process.getActiveResourcesInfo().some((name) => !OWN.has(name)),
        ),
      );
    });
  });
}

function answerTo(request: WireRequest): Promise<WireAnswer> | WireAnswer {
  switch (request.do) {
    case "load":
      return load(request.path);
    case "turn":
      return turn();
    case "compile":
      return compile(request);
    case "measure":
      return measure(request);
    default:
      return serve(request);
  }
}

async function serveAll(): Promise<void> {
  for (let asked = conversation.next(); asked !== null; asked = conversation.next()) {
    const { number, request } = asked;
    if (request.do === "turn") membrane.unpack(request);
    const answer = answerTo(request);
    // Between calls that the tests make at the same time, nothing of the module may run.
    conversation.answer(number, answer instanceof Promise ? await answer : answer);
  }
  process.exit(0);
}

void serveAll();
