import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { openEngine, type Engine } from "@slipway/durable/engine";
import type { Outcome } from "@slipway/durable/outcome";
import { openScratchKernel, PERSON, POLICY, type ScratchKernel, type ScratchOptions } from "@slipway/kernel/change/testing/scratch-kernel";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { FeatureResult } from "../../../change/feature-run.ts";
import { openChangeServices } from "../../../change/services.ts";
import { openDispatcher } from "../../../dispatch/dispatcher.ts";
import { protocolRole } from "../../../dispatch/roles.ts";
import { crewDispatch } from "../../dispatch/dispatch.ts";
import type { CrewInput } from "../../crew-run.ts";
import { feature, features } from "../../../features/protocol.ts";
import { sessionPath } from "../../session/session-name.ts";
import { crew, crewChange, type CrewRunInput } from "../../protocol.ts";
import type { RunLogRecord } from "../../prompts/run-record.ts";
import { parseStatus, type CrewStatus } from "../../session/status.ts";
import { OWN, RUN, type Said } from "./artifacts.ts";

/** A model's answer: output and files, or a raw text, or an error. */
export type Reply = Said | string | Error;
export type Answer = (request: ProviderRequest, turn: number) => Reply | Promise<Reply>;
/** By definition name, in order; the last one is repeated. */
export type Models = Readonly<Record<string, readonly (Reply | Answer)[]>>;
/** By kind of question, in order. */
export type People = Readonly<Record<string, readonly (object | ((question: InboxQuestion) => object))[]>>;

export interface CrewBench {
  readonly scratch: ScratchKernel;
  readonly sent: ProviderRequest[];
  /** Every question that a person was asked, in order. */
  readonly asked: InboxQuestion[];
  /** Processes that the run has had. */
  drives(): number;
  /** Drives the run until it ends, or waits for an answer that `people` does not have. */
  run(): Promise<Outcome>;
  result(): Promise<FeatureResult>;
  answer(kind: string, value: object): Promise<void>;
  /** A file of the session on disk. */
  file(name: string): string;
  status(): CrewStatus;
  log(): RunLogRecord[];
  states(): string[];
  roles(): string[];
  /** The last call of a role. */
  last(role: string): ProviderRequest;
  events(): Promise<{ readonly name: string; readonly payload: string }[]>;
  close(): Promise<void>;
}

export interface BenchOptions extends Partial<CrewInput> {
  readonly files?: Readonly<Record<string, string>>;
  readonly approval?: boolean;
  readonly kernel?: ScratchOptions;
  /** Ends the process after this many journal events, again and again. */
  readonly killEvery?: number;
  readonly request?: string;
  /** As the change of a specification of a run of `features`: the folder of the session is below that of the run. */
  readonly inner?: boolean;
  /** Beside it in the same run: a change of this name, whose team says the same of `b` as the other of `a`. Needs `inner`. */
  readonly twin?: string;
}

/** A real repository, database, engine and dispatcher; models and people are scripted. */
export async function openBench(models: Models, people: People = {}, options: BenchOptions = {}): Promise<CrewBench> {
  const policy = options.approval === true ? POLICY : POLICY.replace("merge_policy: {", "merge_policy: { require_user_approval: false,");
  const scratch = await openScratchKernel({ "slipway/policy.yaml": policy, ...options.files }, options.kernel);
  const { kernel, records } = scratch;
  const sent: ProviderRequest[] = [];
  const asked: InboxQuestion[] = [];
  const turns = new Map<string, number>();
  const said = new Map<string, number>();
  const seen = new Set<string>();
  const dispatcher = openDispatcher({
    protocol: () => "crew",
    kernel,
    role: (name, protocol) => protocolRole(protocol, name, async () => null),
    provider: async () => ({ model: null, provider: scripted(models, sent, turns, placed) }),
    onWarning: () => undefined,
  });
  const services = { ...openChangeServices(kernel, dispatcher), inner: new Map([["crew", crewChange]]) };
  const own = options.inner === true ? sessionPath(`${FEATURES_RUN}/${RUN}`) : OWN;
  const placed = (text: string, { prompt }: ProviderRequest) => {
    const twin = options.twin === undefined ? null : sessionPath(`${FEATURES_RUN}/2026-11-18_${options.twin}`);
    if (twin === null || !prompt.includes(twin)) return text.replaceAll(OWN, own);
    return text
      .replaceAll(OWN, twin)
      .replaceAll(RUN, `2026-11-18_${options.twin}`)
      .replaceAll(/\b(src|test)\/a\./g, "$1/b.");
  };
  const runId = options.inner === true ? FEATURES_RUN : RUN;
  let engine: Engine | null = null;
  const input: CrewRunInput = {
    feature_id: RUN.slice(11),
    spec_digest: await records.objects.put(Buffer.from(options.request ?? "Letters say two.")),
    mode: options.mode ?? "full",
    project_type: options.project_type ?? "lib",
    skip_base_gates: true,
  };

  let drives = 0;
  async function drive(): Promise<Outcome> {
    await engine?.close();
    const { database, objects, clock, ids, inbox } = records;
    let events = 0;
    const observe = () => {
      if (++events === options.killEvery) void engine?.close();
    };
    engine = await openEngine({
      sqlite: database.sqlite,
      blobs: objects,
      clock,
      ids,
      inbox,
      workflows: [crew, features, feature, crewChange, crewDispatch],
      kernel: services,
      observe,
    });
    drives++;
    if (options.inner === true) await engine.start(features.name, specified(input, options.twin), { runId });
    else await engine.start(crew.name, input, { runId });
    return engine.drive(runId, { whenWaiting: "return" });
  }

  async function give(question: InboxQuestion): Promise<boolean> {
    const number = said.get(question.kind) ?? 0;
    const value = people[question.kind]?.[number];
    if (!seen.has(question.id)) asked.push(question);
    seen.add(question.id);
    if (value === undefined) return false;
    said.set(question.kind, number + 1);
    await records.answer({ id: question.id, value: typeof value === "function" ? value(question) : value, by: PERSON });
    return true;
  }

  const onDisk = (name: string) => readFileSync(join(scratch.root, own, name), "utf8");
  const bench: CrewBench = {
    scratch,
    sent,
    asked,
    drives: () => drives,
    async run() {
      for (;;) {
        const outcome = await drive();
        if (outcome.status === "completed" || outcome.status === "failed") return outcome;
        const open = await records.inbox.listOpen();
        const given = await Promise.all(open.map(give));
        if (outcome.status === "waiting" && !given.includes(true)) return outcome;
      }
    },
    async result() {
      const outcome = await bench.run();
      if (outcome.status !== "completed")
        throw new Error(
          `${outcome.status}: ${JSON.stringify(outcome)} asked: ${asked.at(-1)?.kind ?? "nothing"} ${asked.at(-1)?.body ?? ""}`,
        );
      return (options.inner === true ? (outcome.value as FeatureResult[])[0] : outcome.value) as FeatureResult;
    },
    async answer(kind, value) {
      const question = (await records.inbox.listOpen()).find((one) => one.kind === kind);
      if (question === undefined) throw new Error(`no question ${kind}`);
      await records.answer({ id: question.id, value, by: PERSON });
    },
    file: onDisk,
    status() {
      const read = parseStatus(onDisk("status.json"));
      if (!read.ok) throw new Error(read.problems.join("; "));
      return read.value;
    },
    log: () =>
      onDisk("run-log.jsonl")
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as RunLogRecord),
    states() {
      const states = bench.log().flatMap(({ state, next_state_hint: next }) => [state, ...(next === null ? [] : [next])]);
      return states.filter((state, index) => state !== states[index - 1]);
    },
    roles: () => bench.log().flatMap(({ dispatch }) => dispatch.map(({ agent, task }) => `${agent} ${task}`)),
    last(role) {
      const found = sent.findLast((request) => request.role === role);
      if (found === undefined) throw new Error(`${role} was not called`);
      return found;
    },
    async events() {
      return (await engine?.events("repository")) ?? [];
    },
    async close() {
      await engine?.close();
      await services.close();
      await scratch.close();
    },
  };
  return bench;
}

function scripted(
  models: Models,
  sent: ProviderRequest[],
  turns: Map<string, number>,
  placed: (text: string, request: ProviderRequest) => string,
): Provider {
  return {
    name: "scripted",
    works: "prompt",
    async invoke(request) {
      sent.push(request);
      const turn = turns.get(request.role) ?? 0;
      turns.set(request.role, turn + 1);
      const script = models[request.role] ?? [];
      const given = script[Math.min(turn, script.length - 1)];
      if (given === undefined) throw new Error(`nothing is scripted for ${request.role}`);
      const reply = typeof given === "function" ? await given(request, turn) : given;
      if (reply instanceof Error) throw reply;
      return {
        text: placed(typeof reply === "string" ? reply : textOf(reply, request), request),
        usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 },
        model: null,
      };
    },
  };
}

const FEATURES_RUN = "2026-11-18_some-features";

function specified({ feature_id, spec_digest, mode, project_type }: CrewRunInput, twin: string | undefined) {
  const inner = { protocol: "crew", input: { mode, project_type } };
  const ids = [feature_id, ...(twin === undefined ? [] : [twin])];
  const specs = ids.map((id) => ({ feature_id: id, spec_source: "letters.md", spec_digest, inner }));
  return { max_active_features: ids.length, skip_base_gates: true, specs };
}

/** A role that may write nothing answers with its output alone. */
function textOf({ output, files }: Said, { schema }: ProviderRequest): string {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, unknown>>;
  return JSON.stringify("files" in properties ? { output, files } : output);
}

/** A file that the prompt shows. */
export function shown({ prompt }: ProviderRequest, title: string): string {
  const at = prompt.indexOf(`"${title}"\n<<<`);
  if (at < 0) return "";
  const start = prompt.indexOf("\n", at + title.length + 3) + 1;
  const fence = prompt.slice(prompt.indexOf("<<<", at) + 3, start - 1);
  return prompt.slice(start, prompt.indexOf(`\n${fence}>>>`, start));
}
