import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ProviderRequest, Workplace } from "@slipway/agents/provider";
import { openEngine, type Engine } from "@slipway/durable/engine";
import { openScratchKernel, PERSON, POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { openDispatcher } from "../../dispatch/dispatcher.ts";
import { protocolRole } from "../../dispatch/roles.ts";
import { rememberingReader, rememberingSandbox } from "../engineering/testing/remembering.ts";
import { earlierFrom } from "../incremental/previous.ts";
import { lateChange, type LateChangeInput } from "../late-change/protocol.ts";
import { factory, type FactoryInput } from "../protocol.ts";
import { openFactoryServices, type FactoryServices } from "../services.ts";
import { migrateFactory } from "../tables.ts";

export const language = rememberingReader();

/** The answers of each role, in order; the last one repeats. A function receives its sections; bytes are returned unchanged. */
export type Parts = Readonly<Record<string, readonly unknown[]>>;

export interface Works {
  readonly services: FactoryServices;
  readonly asked: {
    readonly role: string;
    readonly subject: string;
    sections(): Record<string, string>;
    /** Everything that was sent, as one text. */
    whole(): string;
  }[];
  /** Drives the run until it ends or waits for a person. */
  drive(): Promise<Awaited<ReturnType<Engine["drive"]>>>;
  question(): Promise<InboxQuestion>;
  answer(value: unknown): Promise<void>;
  /** Where the repository is. */
  readonly root: string;
  /** A file of the state store, or null. */
  file(path: string): string | null;
  /** The files below a folder of the state store, in order. */
  files(folder: string): string[];
  steps(child?: string): Promise<string[]>;
  /** Reopens the run as a new process would. */
  reopen(): Promise<void>;
  /** Starts a run about a deferred exception. */
  change(input: LateChangeInput): Promise<unknown>;
  /** Cancels the run. */
  cancel(): Promise<void>;
  /** Starts another run from the current page, after the earlier project; the roles start over with these parts. */
  again(page: string, parts: Parts): Promise<void>;
  close(): Promise<void>;
}

export interface WorksOptions {
  /** Roles that work in a folder: what each does there, and its answer. */
  readonly inFolder?: Readonly<Record<string, (workplace: Workplace, shown: Record<string, string>) => Promise<unknown>>>;
  /** Stops the run after this many events, each time; reopen it to continue. */
  readonly leaveAfter?: number;
  /** Whether a release needs a person's approval to merge. */
  readonly approval?: "asked" | "not needed";
}

export const PAGE = "# Numbers\n\nDouble numbers, and double them again.\n";
const WITHOUT_APPROVAL = POLICY.replace("merge_policy: {", "merge_policy: { require_user_approval: false,");

/** Real repository, database, engine, dispatcher, compiler and sandbox; only the models are scripted. */
export async function openWorks(
  first: Parts,
  { leaveAfter = Infinity, approval = "not needed", inFolder = {} }: WorksOptions = {},
): Promise<Works> {
  const scratch = await openScratchKernel({ "slipway/policy.yaml": approval === "asked" ? POLICY : WITHOUT_APPROVAL });
  const { records, root } = scratch;
  await migrateFactory(records.database.db, records.database.sqlite.path);
  const kernel = { ...scratch.kernel, sandbox: rememberingSandbox };
  const asked: Works["asked"] = [];
  const turns = new Map<string, number>();
  let parts = first;

  async function invoke(request: ProviderRequest) {
    const { role, subject, input, workplace } = request;
    const sections = () =>
      Object.fromEntries([...input.context_bundle.map(({ title, text }) => [title, text]), ["results", input.last_tool_results]]);
    asked.push({ role, subject, sections, whole: () => JSON.stringify({ ...request, workplace: null }) });
    const turn = turns.get(role) ?? 0;
    turns.set(role, turn + 1);
    const answers = parts[role] ?? [];
    const said = answers[Math.min(turn, answers.length - 1)];
    if (said instanceof Error) throw said;
    const there = workplace === null ? undefined : inFolder[role];
    const value: unknown =
      there !== undefined && workplace !== null
        ? await there(workplace, sections())
        : typeof said === "function"
          ? (said as (shown: Record<string, string>) => unknown)(sections())
          : said;
    return {
      text: value instanceof Uint8Array ? Buffer.from(value).toString() : JSON.stringify(value),
      usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 },
      model: "scripted",
    };
  }

  const dispatcher = openDispatcher({
    protocol: () => "factory",
    kernel,
    role: (name) => protocolRole("factory", name, async () => null),
    provider: async (role) => ({
      model: null,
      provider: { name: "scripted", works: inFolder[role] === undefined ? "prompt" : "folder", invoke },
    }),
    onWarning: () => undefined,
  });
  const open = () => {
    const services = openFactoryServices({ kernel, dispatcher, env: {}, language });
    const { database, objects, clock, ids, inbox } = records;
    let seen = 0;
    const observe = () => {
      seen++;
      if (seen === leaveAfter) void engine.close();
    };
    const base = { sqlite: database.sqlite, blobs: objects, clock, ids, inbox };
    return openEngine({ ...base, workflows: [factory, lateChange], kernel: services, observe }).then((opened) => ({
      engine: opened,
      services,
    }));
  };
  let engine: Engine;
  let services: FactoryServices;
  ({ engine, services } = await open());
  async function begin(page: string, name: string): Promise<string> {
    const spec_digest = await records.objects.put(Buffer.from(page));
    const earlier = await earlierFrom(
      services.projectStore.projects,
      "SPEC.md",
      spec_digest,
      async (id) => (await engine.run(id))?.status === "completed",
    );
    const previous = earlier.kind === "again" ? { previous: earlier.previous } : {};
    const input: FactoryInput = { project: "numbers", spec_source: "SPEC.md", spec_digest, ...previous };
    return engine.start("factory", input, { runId: name });
  }
  let runs = 1;
  let runId = await begin(PAGE, "works");

  async function question(): Promise<InboxQuestion> {
    const [first] = await records.inbox.listOpen();
    if (first === undefined) throw new Error("nothing is asked");
    return first;
  }

  return {
    get services() {
      return services;
    },
    asked,
    root,
    question,
    async drive() {
      const outcome = await engine.drive(runId, { whenWaiting: "return" });
      return outcome;
    },
    async answer(value) {
      await records.answer({ id: (await question()).id, value, by: PERSON });
    },
    file(path) {
      const whole = join(root, ".slipway/state_store", path);
      return existsSync(whole) ? readFileSync(whole, "utf8") : null;
    },
    files(folder) {
      const whole = join(root, ".slipway/state_store", folder);
      const entries = existsSync(whole) ? readdirSync(whole, { recursive: true, withFileTypes: true }) : [];
      return entries
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(whole.length + 1))
        .toSorted();
    },
    async steps(child = "") {
      return (await engine.events(`${runId}${child}`)).filter(({ kind }) => kind === "step").map(({ name }) => name);
    },
    async reopen() {
      await engine.close();
      ({ engine, services } = await open());
    },
    async change(input) {
      const id = await engine.start("factory-late-change", input, { runId: `late-${++runs}` });
      return engine.drive(id, { whenWaiting: "return" });
    },
    async cancel() {
      await engine.requestCancel(runId, "no more");
      await engine.drive(runId, { whenWaiting: "return" });
    },
    async again(page, others) {
      parts = others;
      turns.clear();
      asked.length = 0;
      runId = await begin(page, `works-${++runs}`);
    },
    async close() {
      await engine.close();
      await scratch.close();
    },
  };
}
