import type { LanguageAdapter, LanguageId } from "@slipway/languages/adapter";
import { openChangeServices } from "../change/services.ts";
import { eventLine } from "../narration/event-line.ts";
import type { Host, Protocol } from "../protocol.ts";
import { deliverProgram } from "./deliver-program.ts";
import { describeCriticality } from "./describe.ts";
import { prepareCriticality } from "./prepare.ts";
import { criticality as root, type CriticalityResult, type CriticalityServicesOfRun } from "./protocol.ts";
import { CRITICALITY_NARRATION } from "./steps.ts";
import { viewCriticality } from "./view.ts";
import { openCodeTools, type CodeTools } from "./workspace/code-tools.ts";

export const criticality: Protocol = {
  started: [root],
  parts: [deliverProgram],
  open: ({ kernel, dispatcher, env }) => {
    const opened = new Set<CodeTools>();
    const workflows: CriticalityServicesOfRun = {
      ...openChangeServices(kernel, dispatcher),
      languages: (id) => loadAdapter(id, env),
      openTools(parts) {
        const tools = openCodeTools(parts);
        opened.add(tools);
        return tools;
      },
    };
    return { workflows, close: async () => void (await Promise.allSettled([...opened].map((tools) => tools.close()))) };
  },
  prepare: prepareCriticality,
  narrate(event) {
    const line = event.stream.includes("/") ? null : eventLine(CRITICALITY_NARRATION, event);
    return line === null ? null : { feature: "program", ...line };
  },
  view: viewCriticality,
  describe: (result) => describeCriticality(result as CriticalityResult),
};

/** Adapters load their parsers when a run needs them. */
async function loadAdapter(id: LanguageId, env: Host["env"]): Promise<LanguageAdapter> {
  const { languageAdapter } = await import("@slipway/languages/adapters");
  return languageAdapter(id, { env });
}
