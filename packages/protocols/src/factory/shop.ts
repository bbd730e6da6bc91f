import { openEmbeddings } from "@slipway/agents/embeddings/embeddings";
import { openWebSearch } from "@slipway/agents/web-search/web-search";
import { SlipwayError } from "@slipway/durable/errors";
import type { SearchInput } from "./code-index/search.ts";
import { readerAt } from "@slipway/kernel/config/committed";
import { resolveCommit } from "@slipway/kernel/host/git/branch";
import type { Kernel } from "@slipway/kernel/kernel";
import type { LanguageReader } from "@slipway/languages/language";
import { z } from "zod";
import type { AgentDesk } from "../desk.ts";
import { openShop, type Shop as FeatureShop } from "../features/shop.ts";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";
import { artifactTools } from "./artifact-tools.ts";
import { deprecatedDependencies } from "./deprecation/deprecate.ts";
import { RELAXED } from "./durability.ts";
import type { EngineeringShop } from "./engineering/ports.ts";
import { rebuildPlan } from "./incremental/earlier.ts";
import { contractDelta } from "./exceptions/schema.ts";
import type { ProductShop } from "./product/site.ts";
import { raisePort } from "./raising.ts";
import { reuseFacts, searchAs } from "./reuse/reuse.ts";
import { reuseReportSchema } from "./reuse/schema.ts";
import { openFactoryRooms, type FactoryRooms } from "./rooms.ts";
import { restorePending } from "./pending-files/pending-files.ts";
import { releaseFolder } from "./release/assembling.ts";
import { withoutSealed } from "./sealed-files.ts";
import { openStoreView } from "./store-view.ts";

/** What a run of this protocol works with: the shops of its loops, and what lies between them. */
export interface FactoryShop extends ProductShop, EngineeringShop, FeatureShop, Omit<FactoryRooms, "artifacts"> {
  readonly kernel: Kernel;
  readonly desk: AgentDesk;
  /** Before any task is worked on, in each process: what takes long to load is loaded here. */
  readonly prepare: () => Promise<void>;
}

export interface FactoryShopOptions {
  readonly kernel: Kernel;
  readonly desk: AgentDesk;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly language?: LanguageReader;
}

export function openFactoryShop({ kernel, desk, env, language: given }: FactoryShopOptions): FactoryShop {
  const { records, repository, configuration } = kernel;
  const { language, prepare } = given === undefined ? lateTypeScript() : { language: given, prepare: async () => undefined };
  const base = `refs/heads/${configuration.policy.worktree.base_branch}`;
  const model = openEmbeddings({ agents: configuration.agents, env, conceal: kernel.conceal });
  const rooms = openFactoryRooms(records, { model, ...RELAXED });
  const { documents, codeIndex } = rooms;
  let ready: Promise<void> | null = null;

  return {
    ...openShop(kernel, desk),
    ...rooms,
    keepContextPack: rooms.store.keepContextPack,
    view: openStoreView(rooms, records.layout.stateStore, repository),
    language,
    prepare: async () => {
      await Promise.all([prepare(), (ready ??= restorePending({ db: records.database.db, clock: records.clock, ...rooms }))]);
    },
    index: {
      search: async (query) => (await codeIndex.search({ query })).results,
      reuseFacts: (draft) => reuseFacts(codeIndex, draft),
      outOfUse: async (refs) => {
        const entries = await Promise.all(refs.map((ref) => codeIndex.find(ref)));
        return deprecatedDependencies(entries.filter((entry) => entry !== null));
      },
      register: (call, entry) => codeIndex.append(call, entry),
    },
    artifactTools: artifactTools(rooms.artifacts, (role, input) => searchAs(codeIndex, role, input as SearchInput)),
    exceptions: { raise: raisePort({ documents, codeIndex }) },
    schemas: { ReuseSearchReport: z.toJSONSchema(reuseReportSchema), ContractDelta: z.toJSONSchema(contractDelta) },
    repoRevision: async () => (await resolveCommit(repository, base)) ?? "no commit",
    objectFormat: repository.objectFormat,
    webSearch: openWebSearch(configuration.agents?.runtime.web_search, env),
    searchCodeIndex: async (query) => (await codeIndex.search(query)).results,
    rebuildPlan: (projectId, spec) => rebuildPlan({ ...rooms, projects: rooms.room.projects }, projectId, spec),
    readRepository: withoutSealed(committedOnly(readerAt(repository, base)), releaseFolder(kernel)),
  };
}

/** To the product owner a file that is not committed is not there. */
function committedOnly(read: ReadFile): ReadFile {
  return async (path) => {
    try {
      return await read(path);
    } catch (error) {
      if (error instanceof SlipwayError && error.code === "config_missing") return null;
      throw error;
    }
  };
}

/** The compiler is loaded only by who needs it, and started by the first question. */
function lateTypeScript(): { readonly language: LanguageReader; readonly prepare: () => Promise<void> } {
  let open: (() => LanguageReader) | null = null;
  let opened: LanguageReader | null = null;
  function reader(): LanguageReader {
    if (open === null) throw new TypeError("The compiler was not prepared.");
    return (opened ??= open());
  }
  return {
    language: {
      readModule: (sources, contract) => reader().readModule(sources, contract),
      elementsOf: (files) => reader().elementsOf(files),
      close() {
        opened?.close();
        opened = null;
      },
    },
    async prepare() {
      ({ openTypeScript: open } = await import("@slipway/languages/typescript/reader"));
    },
  };
}
