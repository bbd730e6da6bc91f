import { openWebSearch } from "@slipway/agents/web-search/web-search";
import { SlipwayError } from "@slipway/durable/errors";
import { openArtifacts } from "@slipway/kernel/artifacts/artifacts";
import { openCodeIndex, type CodeIndex } from "@slipway/kernel/code-index/code-index";
import { readerAt } from "@slipway/kernel/config/committed";
import { openDocuments, type Documents } from "@slipway/kernel/documents/documents";
import { nodeFileSystem } from "@slipway/kernel/files/file-system";
import { resolveCommit } from "@slipway/kernel/git/branch";
import type { Kernel } from "@slipway/kernel/kernel";
import { openProjects } from "@slipway/kernel/projects/projects";
import type { LanguageReader } from "@slipway/languages/language";
import { z } from "zod";
import type { AgentDesk } from "../desk.ts";
import type { ReadFile } from "../roles.ts";
import type { EngineeringShop } from "./engineering/ports.ts";
import { contractDelta } from "./exceptions/schema.ts";
import type { ProductShop } from "./product/site.ts";
import type { ProjectRoom } from "./project/project.ts";
import { raisePort } from "./raising.ts";
import { reuseReportSchema } from "./reuse/schema.ts";
import { engineeringStore } from "./store.ts";

/** What a run of this protocol works with: the shops of its loops, and what lies between them. */
export interface FactoryShop extends ProductShop, EngineeringShop {
  readonly kernel: Kernel;
  readonly desk: AgentDesk;
  readonly documents: Documents;
  readonly codeIndex: CodeIndex;
  readonly room: ProjectRoom;
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
  const { records, repository, configuration, clock } = kernel;
  const { language, prepare } = given === undefined ? lateTypeScript() : { language: given, prepare: async () => undefined };
  const { layout, database, door, objects } = records;
  const { db } = database;
  const folder = layout.stateStore;
  const base = `refs/heads/${configuration.policy.worktree.base_branch}`;
  const documents = openDocuments({ db, door, fs: nodeFileSystem, folder });
  const codeIndex = openCodeIndex({ db, door });
  const artifacts = openArtifacts({ db, door, objects, fs: nodeFileSystem, folder });
  return {
    kernel,
    desk,
    language,
    documents,
    codeIndex,
    prepare,
    room: { projects: openProjects({ db, door }), stateStore: folder, clock },
    store: engineeringStore({ artifacts, documents, index: codeIndex }),
    index: {
      search: async (query) => (await codeIndex.search({ query })).results,
      register: (call, entry) => codeIndex.append(call, entry),
    },
    exceptions: { raise: raisePort({ documents, codeIndex }) },
    schemas: { ReuseSearchReport: z.toJSONSchema(reuseReportSchema), ContractDelta: z.toJSONSchema(contractDelta) },
    repoRevision: async () => (await resolveCommit(repository, base)) ?? "no commit",
    objectFormat: repository.objectFormat,
    webSearch: openWebSearch(configuration.agents?.runtime.web_search, env),
    searchCodeIndex: async (query) => (await codeIndex.search(query)).results,
    readRepository: committedOnly(readerAt(repository, base)),
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
