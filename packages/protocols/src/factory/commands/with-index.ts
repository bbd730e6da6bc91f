import { openEmbeddings } from "@slipway/agents/embeddings/embeddings";
import { migrateFactory } from "../tables.ts";
import { openCodeIndex, type CodeIndex } from "../code-index/code-index.ts";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Surface } from "../../surface/surface.ts";

/** Opens the code index with the model of the committed configuration. */
export function indexOf({ records, configuration, conceal }: Kernel, { env }: Pick<Surface, "env">): CodeIndex {
  const model = openEmbeddings({ agents: configuration.agents, env, conceal });
  return openCodeIndex({ db: records.database.db, door: records.door, model });
}

export function withIndex<T>(surface: Surface, work: (index: CodeIndex, kernel: Kernel) => Promise<T>): Promise<T> {
  return surface.kernel(async (kernel) => {
    const { database } = kernel.records;
    await migrateFactory(database.db, database.sqlite.path);
    return work(indexOf(kernel, surface), kernel);
  });
}
