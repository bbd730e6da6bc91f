import { openEmbeddings } from "@slipway/agents/embeddings/embeddings";
import { openWebSearch } from "@slipway/agents/web-search/web-search";
import { SlipwayError } from "@slipway/agents/errors";
import type { SearchInput } from "./code-index/search.ts";
import { readerAt } from "@slipway/kernel/config/committed-files";
import { resolveCommit } from "@slipway/kernel/host/git/branch";
import type { Kernel } from "@slipway/kernel/kernel";
import type { LanguageReader } from "@slipway/languages/language";
import { z } from "zod";
import type { AgentDispatcher } from "../dispatch/dispatcher.ts";
import { openChangeServices, type ChangeServices as FeatureShop } from "../change/services.ts";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";
import { artifactTools } from "./artifact-tools.ts";
import { deprecatedDependencies } from "./deprecation/deprecate.ts";
import { RELAXED } from "./durability.ts";
import type { EngineeringServices } from "./engineering/ports.ts";
import { rebuildPlan } from "./incremental/earlier.ts";
import { contractDelta } from "./exceptions/schema.ts";
import type { ProductServices } from "./product/product-run.ts";
import { raisePort } from "./exceptions/raise-port.ts";
import { reuseFacts, searchAs } from "./reuse/reuse.ts";
import { reuseReportSchema } from "./reuse/schema.ts";
import { openFactoryStores, type FactoryStores } from "./stores.ts";
import { restorePending } from "./pending-files/pending-files.ts";
import { releaseFolder } from "./release/assemble.ts";
import { withoutSealed } from "./sealed-files.ts";
import { openStoreView } from "./store-view.ts";

/** The services of a factory run: those of its loops, and what they share. */
export interface FactoryServices extends ProductServices, EngineeringServices, FeatureShop, Omit<FactoryStores, "artifacts"> {
  readonly kernel: Kernel;
  readonly dispatcher: AgentDispatcher;
  /** Loads the compiler and restores pending files; called once per process before any task. */
  readonly prepare: () => Promise<void>;
}

export interface FactoryServicesOptions {
  readonly kernel: Kernel;
  readonly dispatcher: AgentDispatcher;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly language?: LanguageReader;
}

export function openFactoryServices({ kernel, dispatcher, env, language: given }: FactoryServicesOptions): FactoryServices {
  const { records, repository, configuration } = kernel;
  const { language, prepare } = given === undefined ? lateTypeScript() : { language: given, prepare: async () => undefined };
  const base = `refs/heads/${configuration.policy.worktree.base_branch}`;
  const model = openEmbeddings({ agents: configuration.agents, env, conceal: kernel.conceal });
  const stores = openFactoryStores(records, { model, ...RELAXED });
  const { documents, codeIndex } = stores;
  let ready: Promise<void> | null = null;

  return {
    ...openChangeServices(kernel, dispatcher),
    ...stores,
    keepContextPack: stores.store.keepContextPack,
    view: openStoreView(stores, records.layout.stateStore, repository),
    language,
    prepare: async () => {
      await Promise.all([prepare(), (ready ??= restorePending({ db: records.database.db, clock: records.clock, ...stores }))]);
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
    artifactTools: artifactTools(stores.artifacts, (role, input) => searchAs(codeIndex, role, input as SearchInput)),
    exceptions: { raise: raisePort({ documents, codeIndex }) },
    schemas: { ReuseSearchReport: z.toJSONSchema(reuseReportSchema), ContractDelta: z.toJSONSchema(contractDelta) },
    repoRevision: async () => (await resolveCommit(repository, base)) ?? "no commit",
    objectFormat: repository.objectFormat,
    webSearch: openWebSearch(configuration.agents?.runtime.web_search, env),
    searchCodeIndex: async (query) => (await codeIndex.search(query)).results,
    rebuildPlan: (projectId, spec) => rebuildPlan({ ...stores, projects: stores.projectStore.projects }, projectId, spec),
    readRepository: withoutSealed(committedOnly(readerAt(repository, base)), releaseFolder(kernel)),
  };
}

/** Files that are not committed do not exist for the product owner. */
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

/** Loads the compiler on `prepare` and starts it on first use. */
function lateTypeScript(): { readonly language: LanguageReader; readonly prepare: () => Promise<void> } {
  let open: (() => LanguageReader) | null = null;
  let opened: LanguageReader | null = null;
  function reader(): LanguageReader {
    if (open === null) throw new TypeError("The compiler was not prepared.");
    return (opened ??= open());
  }
  return {
    language: {
      readModule: async (...asked) => reader().readModule(...asked),
      elementsOf: async (...asked) => reader().elementsOf(...asked),
      close() {
        opened?.close();
        opened = null;
      },
    },
    async prepare() {
      ({ openLimitedReader: open } = await import("@slipway/languages/typescript/limited-reader"));
    },
  };
}
