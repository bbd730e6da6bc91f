import type { LanguageAdapter, LanguageId } from "@slipway/languages/adapter";
import { openChangeServices } from "../change/services.ts";
import { eventLine } from "../narration/event-line.ts";
import type { Host, Protocol } from "../protocol.ts";
import { benchmark, type MeasuredResult } from "./benchmark/benchmark.ts";
import { caseOf } from "./benchmark/case-step.ts";
import { describeBenchmark } from "./benchmark/describe.ts";
import { benchmarkCase } from "./benchmark/run-case.ts";
import { deliverProgram } from "./deliver-program.ts";
import { describeCriticality } from "./describe.ts";
import { assertReadableState } from "./files/state-version.ts";
import { prepareCriticality } from "./prepare.ts";
import { criticality as root, type CriticalityResult, type CriticalityServicesOfRun } from "./protocol.ts";
import { CRITICALITY_NARRATION } from "./steps.ts";
import { viewCriticality } from "./view.ts";
import { openCodeTools, type CodeTools } from "./workspace/code-tools.ts";

export const criticality: Protocol = {
  started: [root, benchmark],
  parts: [deliverProgram, benchmarkCase],
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
    return {
      workflows,
      ready: (_workflow, runId) => assertReadableState(kernel.records.layout.run(runId)),
      close: async () => void (await Promise.allSettled([...opened].map((tools) => tools.close()))),
    };
  },
  prepare: prepareCriticality,
  narrate(event) {
    const [, child = null] = event.stream.split("/");
    const measured = caseOf(child);
    const line = child === null || measured !== null ? eventLine(CRITICALITY_NARRATION, event) : null;
    return line === null ? null : { feature: measured ?? "program", ...line };
  },
  view: viewCriticality,
  describe: (result) => (isMeasured(result) ? describeBenchmark(result) : describeCriticality(result as CriticalityResult)),
};

function isMeasured(result: unknown): result is MeasuredResult {
  return (result as { readonly status?: string }).status === "measured";
}

/** Adapters load their parsers when a run needs them. */
async function loadAdapter(id: LanguageId, env: Host["env"]): Promise<LanguageAdapter> {
  const { languageAdapter } = await import("@slipway/languages/adapters");
  return languageAdapter(id, { env });
}
