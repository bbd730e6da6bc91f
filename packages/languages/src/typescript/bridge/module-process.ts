/** Runs in its own sandbox, under Node's permission model: the module with its dependencies, without the tests. */
import { join } from "node:path";
import { Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { openConversation } from "./conversation.ts";
import { openLines } from "./lines.ts";
import { openMembrane } from "./membrane.ts";
import type { WireAnswer, WireRequest } from "./wire.ts";

// The clock of the module may be replaced.
const { setImmediate } = globalThis;
const folder = join(import.meta.dirname, "..");
// The module's stdout must not be taken for answers.
Object.defineProperty(process, "stdout", { value: new Writable({ write: (_chunk, _encoding, done) => done() }) });

const gone = () => new Error("The tests have ended.");
const conversation = openConversation({ lines: openLines(), mark: "", serve: (request) => serve(request), gone });
const membrane = openMembrane({ side: "module", ask: conversation.ask });
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

async function load(path: string): Promise<WireAnswer> {
  try {
    const namespace = (await import(pathToFileURL(join(folder, path)).href)) as Record<string, unknown>;
    const shown = Object.create(null) as Record<string, unknown>;
    loaded.push({ namespace, shown });
    loaded.forEach(refreshed);
    return membrane.answer("returned", shown);
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

async function serveAll(): Promise<void> {
  for (let asked = conversation.next(); asked !== null; asked = conversation.next()) {
    const { number, request } = asked;
    if (request.do === "turn") membrane.unpack(request);
    const answer = request.do === "load" ? await load(request.path) : request.do === "turn" ? await turn() : serve(request);
    conversation.answer(number, answer);
  }
  process.exit(0);
}

void serveAll();
