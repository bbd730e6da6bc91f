import type { Protocol } from "../protocol.ts";
import type { FeatureResult } from "../change/feature-run.ts";
import { restoreFilesOfRun } from "../change/restore-files.ts";
import { openChangeServices } from "../change/services.ts";
import { describeFeatures } from "./describe.ts";
import { loadInnerProtocols } from "./inner-protocols.ts";
import { FEATURE_NARRATION } from "./narrate.ts";
import { narrateChange } from "../change/narrate.ts";
import { prepareFeatures } from "./prepare.ts";
import { feature, features as root, type FeaturesServices } from "./protocol.ts";
import { viewFeatures } from "./view.ts";

/** With the protocols that can make one change of its runs. */
export async function loadFeatures(): Promise<Protocol> {
  const inner = await loadInnerProtocols();
  const workflows = new Map([...inner].map(([name, { workflow }]) => [name, workflow]));
  const narration = [...FEATURE_NARRATION, ...[...inner.values()].flatMap((one) => one.narration)];
  return {
    started: [root],
    parts: [feature, ...[...inner.values()].flatMap(({ workflow, parts }) => [workflow, ...parts])],
    open({ kernel, dispatcher, env }) {
      const { close, ...services } = openChangeServices(kernel, dispatcher, env);
      const ready = (_workflow: string, runId: string) => restoreFilesOfRun(kernel.records, runId);
      return { workflows: { ...services, inner: workflows } satisfies FeaturesServices, ready, close };
    },
    prepare: (starter, request) => prepareFeatures(inner, starter, request),
    narrate: (event) => narrateChange(event, narration),
    view: (reader, runId) => viewFeatures(reader, runId, inner, narration),
    describe: (result) => describeFeatures(result as readonly FeatureResult[]),
  };
}
