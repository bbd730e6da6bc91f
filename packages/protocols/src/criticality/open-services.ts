import type { LanguageAdapter, LanguageId } from "@slipway/languages/adapter";
import type { ChangeServices } from "../change/services.ts";
import type { CriticalityServicesOfRun } from "./protocol.ts";
import { openCodeTools } from "./workspace/code-tools.ts";

/** Compilers and test runners end with the services: a run that waits for a person never returns. */
export function openCriticalityServices(services: ChangeServices): CriticalityServicesOfRun {
  return {
    ...services,
    languages: (id) => loadAdapter(id, services.env),
    openTools(parts) {
      const tools = openCodeTools(parts);
      services.whenClosed(() => tools.close());
      return tools;
    },
  };
}

/** Adapters load their parsers when a run needs them. */
async function loadAdapter(id: LanguageId, env: ChangeServices["env"]): Promise<LanguageAdapter> {
  const { languageAdapter } = await import("@slipway/languages/adapters");
  return languageAdapter(id, { env });
}
