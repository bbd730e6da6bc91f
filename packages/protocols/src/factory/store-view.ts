import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Artifacts } from "./artifacts/artifacts.ts";
import { stateStoreTree } from "./artifacts/backends/state-store.ts";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import { hasCode } from "@slipway/kernel/host/files/file-system";
import type { Repository } from "@slipway/kernel/host/git/repository";
import type { StoreView } from "./engineering/ports.ts";
import { sealedModuleKind } from "./record-kinds.ts";

export interface ViewStores {
  readonly artifacts: Pick<Artifacts, "isShipped">;
  readonly documents: Pick<Documents, "find" | "repair">;
}

/** The state store as roles see it. Rows decide whether something is shipped. */
export function openStoreView({ artifacts, documents }: ViewStores, folder: string, repository: Pick<Repository, "vault">): StoreView {
  const sealed = (ref: string) => documents.find(sealedModuleKind, ref);
  return {
    tree: stateStoreTree({
      folder,
      git: () => repository.vault({ workTree: folder }),
      isArtifactShipped: artifacts.isShipped,
      isModuleShipped: async (id, version) => (await sealed(`${id}@${version}`)) !== null,
    }),
    async changed(refs) {
      const found = await Promise.all(refs.map(sealed));
      return found.flatMap((module) => {
        if (module === null) return [];
        const files = Object.entries(sealedModuleKind.files(module.module_ref, module));
        return files.flatMap(([path, text]) => {
          const there = textOf(join(folder, path));
          return there === text ? [] : [`${path} ${there === null ? "is missing" : "differs from the shipped file"}`];
        });
      });
    },
    restore: () => documents.repair(sealedModuleKind),
  };
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR", "EISDIR", "ELOOP", "EACCES")) return null;
    throw error;
  }
}
