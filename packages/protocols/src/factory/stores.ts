import { openArtifacts, type Artifacts } from "./artifacts/artifacts.ts";
import { openCodeIndex, type CodeIndex } from "./code-index/code-index.ts";
import type { Durability } from "@slipway/durable/durability";
import type { EmbeddingModel } from "@slipway/agents/embeddings/model";
import { openDocuments, type Documents } from "@slipway/kernel/record/documents/documents";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { openProjects } from "./projects/projects.ts";
import type { Records } from "@slipway/kernel/record/storage";
import { bodies } from "./bodies.ts";
import type { EngineeringStore } from "./engineering/ports.ts";
import { notePending } from "./pending-files/pending-files.ts";
import type { ProjectRecords } from "./project/project.ts";
import { engineeringStore } from "./store.ts";

/** The stores of the factory, for runs and for commands that only read. */
export interface FactoryStores {
  readonly artifacts: Artifacts;
  readonly documents: Documents;
  readonly codeIndex: CodeIndex;
  readonly projectStore: ProjectRecords;
  readonly store: EngineeringStore;
}

export interface StoresOptions {
  readonly model?: EmbeddingModel;
  readonly durability?: Durability;
}

export function openFactoryStores(records: Records, { model, durability = "synced" }: StoresOptions = {}): FactoryStores {
  const { layout, database, objects, clock } = records;
  const { db } = database;
  const door = durability === "relaxed" ? records.door.relaxed : records.door;
  const folder = layout.stateStore;
  const unsynced = durability === "relaxed" ? { pending: notePending } : {};
  const documents = openDocuments({ db, door, fs: nodeFileSystem, folder, ...unsynced });
  const sealing = openDocuments({ db, door: records.door, fs: nodeFileSystem, folder });
  const codeIndex = openCodeIndex({ db, door, ...(model === undefined ? {} : { model }) });
  const artifacts = openArtifacts({ db, door, objects, fs: nodeFileSystem, folder, bodies, ...unsynced });
  return {
    artifacts,
    documents,
    codeIndex,
    projectStore: { projects: openProjects({ db, door }), stateStore: folder, clock },
    store: engineeringStore({ artifacts, documents, sealing, index: codeIndex }),
  };
}
