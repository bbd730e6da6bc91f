import { migrateFactory } from "../../tables.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import type { WebSearchResult } from "@slipway/agents/web-search/web-search";
import { openEngine, type Engine } from "@slipway/durable/engine";
import { openScratchKernel, PERSON } from "@slipway/kernel/change/testing/scratch-kernel";
import type { Kernel } from "@slipway/kernel/kernel";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { openDispatcher } from "../../../dispatch/dispatcher.ts";
import { protocolRole } from "../../../dispatch/roles.ts";
import { openFactoryStores } from "../../stores.ts";
import { productLoop, type ProductInput, type ProductResult } from "../loop.ts";
import type { ProductServices } from "../product-run.ts";

export const SPEC_MD = "# Ledger\n\nRead bank statements and add them up.\n";

/** One answer of the scripted product owner: calls, a provider error, or any text. */
export type Turn = readonly object[] | Error | string;

export interface Studio {
  readonly kernel: Kernel;
  readonly asked: ProviderRequest[];
  start(): Promise<string>;
  drive(runId: string): Promise<Awaited<ReturnType<Engine["drive"]>>>;
  /** The only open question. */
  question(): Promise<InboxQuestion>;
  answer(value: unknown): Promise<void>;
  /** A file of `.slipway`, or null. */
  file(path: string): string | null;
  events(): Promise<{ readonly name: string; readonly payload: string }[]>;
  /** One section of the context pack of a round. */
  section(round: number, title: string): string | undefined;
  /** Reopens the run as a new process would. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export interface StudioOptions extends Partial<Pick<ProductServices, "webSearch" | "searchCodeIndex" | "readRepository">> {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Replaces the scripted provider. */
  readonly provider?: (kernel: Kernel) => Promise<Provider>;
  readonly works?: Provider["works"];
}

/** Real repository, database, dispatcher and engine; only the model is scripted. */
export async function openStudio(script: readonly Turn[], options: StudioOptions = {}): Promise<Studio> {
  const { files = {}, env = {}, works = "prompt" } = options;
  const scratch = await openScratchKernel(files, { env });
  const { kernel, records, root } = scratch;
  await migrateFactory(records.database.db, records.database.sqlite.path);
  const asked: ProviderRequest[] = [];
  const scripted: Provider = {
    name: "scripted",
    works,
    async invoke(request) {
      asked.push(request);
      const turn = script[Math.min(asked.length, script.length) - 1];
      if (turn instanceof Error) throw turn;
      const text = typeof turn === "string" ? turn : JSON.stringify({ calls: turn });
      return { text, usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 }, model: "m" };
    },
  };
  const provider = (await options.provider?.(kernel)) ?? scripted;
  const services: ProductServices = {
    kernel,
    dispatcher: openDispatcher({
      protocol: () => "factory",
      kernel,
      role: (name) => protocolRole("factory", name, async () => null),
      provider: async () => ({ provider, model: "m" }),
      onWarning: () => undefined,
    }),
    webSearch: options.webSearch ?? null,
    searchCodeIndex: options.searchCodeIndex ?? (async () => []),
    keepContextPack: openFactoryStores(records).store.keepContextPack,
    rebuildPlan: async () => Promise.reject(new Error("there is no earlier project")),
    readRepository: options.readRepository ?? (async (path) => (files[path] === undefined ? null : Buffer.from(files[path]))),
  };
  const open = () =>
    openEngine({
      sqlite: records.database.sqlite,
      blobs: records.objects,
      clock: records.clock,
      ids: records.ids,
      inbox: records.inbox,
      workflows: [productLoop],
      kernel: services,
    });
  let engine = await open();

  async function question(): Promise<InboxQuestion> {
    const [only, ...others] = await records.inbox.listOpen();
    if (only === undefined || others.length > 0) throw new Error(`${others.length + (only === undefined ? 0 : 1)} questions are open`);
    return only;
  }

  return {
    kernel,
    asked,
    question,
    async start() {
      const spec_digest = await records.objects.put(Buffer.from(SPEC_MD));
      const input: ProductInput = { project: "ledger", spec_source: "SPEC.md", spec_digest };
      return engine.start(productLoop.name, input);
    },
    drive: (runId) => engine.drive(runId),
    async answer(value) {
      await records.answer({ id: (await question()).id, value, by: PERSON });
    },
    file(path) {
      const whole = join(root, ".slipway", path);
      return existsSync(whole) ? readFileSync(whole, "utf8") : null;
    },
    async events() {
      return (await engine.events("repository")).map(({ name, payload }) => ({ name, payload }));
    },
    section: (round, title) => asked[round - 1]?.input.context_bundle.find((one) => one.title === title)?.text,
    async reopen() {
      await engine.close();
      engine = await open();
    },
    async close() {
      await engine.close();
      await scratch.close();
    },
  };
}

export function resultOf(outcome: { readonly status: string; readonly value?: unknown }): ProductResult | undefined {
  return outcome.status === "completed" ? (outcome.value as ProductResult) : undefined;
}

/** More results than a query may return. */
export const PAGES: readonly WebSearchResult[] = Array.from({ length: 30 }, (_, index) => ({
  url: `https://example.org/${index + 1}`,
  title: `Page ${index + 1}`,
  snippet: "about ledgers",
}));

export const emit = (spec: unknown) => ({ tool: "emit_structured_spec", spec });
export const write = (path: string, content: unknown) => ({
  tool: "write_file",
  path,
  content: typeof content === "string" ? content : JSON.stringify(content),
});
