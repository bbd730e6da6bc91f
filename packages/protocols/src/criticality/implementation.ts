import { openChangeServices } from "../change/services.ts";
import { eventLine } from "../narration/event-line.ts";
import type { Protocol } from "../protocol.ts";
import { benchmark, type MeasuredResult } from "./benchmark/benchmark.ts";
import { caseOf } from "./benchmark/case-step.ts";
import { describeBenchmark } from "./benchmark/describe.ts";
import { benchmarkCase } from "./benchmark/run-case.ts";
import { deliverProgram } from "./deliver-program.ts";
import { describeCriticality } from "./describe.ts";
import { assertReadableState } from "./files/state-version.ts";
import { prepareCriticality } from "./prepare.ts";
import { openCriticalityServices } from "./open-services.ts";
import { criticality as root, type CriticalityResult } from "./protocol.ts";
import { CRITICALITY_NARRATION } from "./steps.ts";
import { viewCriticality } from "./view.ts";

export const criticality: Protocol = {
  started: [root, benchmark],
  parts: [deliverProgram, benchmarkCase],
  open: ({ kernel, dispatcher, env }) => {
    const { close, ...services } = openChangeServices(kernel, dispatcher, env);
    return {
      workflows: openCriticalityServices(services),
      ready: (_workflow, runId) => assertReadableState(kernel.records.layout.run(runId)),
      close,
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
