import type { LanguageAdapter, LanguageId } from "./adapter.ts";
import type { LanguageMachine } from "./toolchains/machine.ts";

type Loader = (machine: LanguageMachine) => Promise<LanguageAdapter>;

/** Each adapter loads its parser on first use. */
const ADAPTERS: Readonly<Record<LanguageId, Loader>> = {
  typescript: async () => (await import("./typescript/adapter.ts")).typescriptAdapter(),
  python: async (machine) => (await import("./python/adapter.ts")).pythonAdapter(machine),
  rust: async (machine) => (await import("./rust/adapter.ts")).rustAdapter(machine),
  go: async (machine) => (await import("./go/adapter.ts")).goAdapter(machine),
  java: async (machine) => (await import("./java/adapter.ts")).javaAdapter(machine),
  cpp: async (machine) => (await import("./cpp/adapter.ts")).cppAdapter(machine),
};

export async function languageAdapter(id: LanguageId, machine: LanguageMachine): Promise<LanguageAdapter> {
  return {
    ...(await ADAPTERS[id](machine)),
    scanProject: async (sourcePath, run) => (await import("./toolchains/run-scanners.ts")).runScanners(machine, id, sourcePath, run),
  };
}
