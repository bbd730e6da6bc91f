import { openEmbeddings } from "@slipway/agents/embeddings/embeddings";
import { migrateFactory } from "@slipway/protocols/factory/tables";
import { openCodeIndex, type CodeIndex } from "@slipway/protocols/factory/code-index/code-index";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Io } from "./io.ts";
import { withKernel } from "@slipway/runtime/kernel-at";

/** The code index with the model that the committed configuration names. */
export function indexOf({ records, configuration, conceal }: Kernel, { env }: Pick<Io, "env">): CodeIndex {
  const model = openEmbeddings({ agents: configuration.agents, env, conceal });
  return openCodeIndex({ db: records.database.db, door: records.door, model });
}

export function withIndex<T>(io: Io, work: (index: CodeIndex, kernel: Kernel) => Promise<T>): Promise<T> {
  return withKernel(io, async (kernel) => {
    const { database } = kernel.records;
    await migrateFactory(database.db, database.sqlite.path);
    return work(indexOf(kernel, io), kernel);
  });
}
