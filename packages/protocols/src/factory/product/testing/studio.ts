import { migrateFactory } from "../../tables.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import type { SearchResult } from "@slipway/agents/web-search/web-search";
import { openEngine, type Engine } from "@slipway/durable/engine";
import { openScratchKernel, PERSON } from "@slipway/kernel/change/testing/scratch-kernel";
import type { Kernel } from "@slipway/kernel/kernel";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { openDesk } from "../../../desk.ts";
import { protocolRole } from "../../../roles.ts";
import { openFactoryRooms } from "../../rooms.ts";
import { productLoop, type ProductInput, type ProductResult } from "../loop.ts";
import type { ProductShop } from "../site.ts";

export const SPEC_MD = "# Ledger\n\nRead bank statements and add them up.\n";

/** What the scripted product owner answers, round by round: calls, an error that the provider has, or any text. */
export type Turn = readonly object[] | Error | string;

export interface Studio {
  readonly kernel: Kernel;
  readonly asked: ProviderRequest[];
  start(): Promise<string>;
  drive(runId: string): Promise<Awaited<ReturnType<Engine["drive"]>>>;
  /** The only question that is open. */
  question(): Promise<InboxQuestion>;
  answer(value: unknown): Promise<void>;
  /** A file of `.slipway`, or null. */
  file(path: string): string | null;
  events(): Promise<{ readonly name: string; readonly payload: string }[]>;
  /** What one section of the pack of a round holds. */
  section(round: number, title: string): string | undefined;
  /** The same run in a process that knows nothing of it. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

export interface StudioOptions extends Partial<Pick<ProductShop, "webSearch" | "searchCodeIndex" | "readRepository">> {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Instead of the scripted one. */
  readonly provider?: (kernel: Kernel) => Promise<Provider>;
  readonly works?: Provider["works"];
}

/** A real repository, database, desk and engine; only the model is scripted. */
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
  const shop: ProductShop = {
    kernel,
    desk: openDesk({
      kernel,
      role: (name) => protocolRole("factory", name, async () => null),
      provider: async () => ({ provider, model: "m" }),
      onWarning: () => undefined,
    }),
    webSearch: options.webSearch ?? null,
    searchCodeIndex: options.searchCodeIndex ?? (async () => []),
    keepContextPack: openFactoryRooms(records).store.keepContextPack,
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
      kernel: shop,
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

/** As many results as anybody could want. */
export const PAGES: readonly SearchResult[] = Array.from({ length: 30 }, (_, index) => ({
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
