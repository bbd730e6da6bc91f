import type { FeatureResult } from "../change/feature-run.ts";
import { narrateChange } from "../change/narrate.ts";
import { restoreFilesOfRun } from "../change/restore-files.ts";
import { openChangeServices } from "../change/services.ts";
import { viewChanges } from "../change/view.ts";
import type { Protocol } from "../protocol.ts";
import { describeForge } from "./describe.ts";
import { forgeDispatch } from "./dispatch/dispatch.ts";
import { FORGE_NARRATION } from "./narrate.ts";
import { prepareForge } from "./prepare.ts";
import { forge as root, forgeChange } from "./protocol.ts";
import { viewForge } from "./view.ts";

export const forge: Protocol = {
  started: [root],
  parts: [forgeChange, forgeDispatch],
  open({ kernel, dispatcher, env }) {
    const { close, ...services } = openChangeServices(kernel, dispatcher, env);
    return { workflows: services, ready: (_workflow, runId) => restoreFilesOfRun(kernel.records, runId), close };
  },
  prepare: prepareForge,
  narrate: (event) => narrateChange(event, FORGE_NARRATION),
  async view(reader, runId) {
    const changes = await viewChanges(reader, runId, FORGE_NARRATION);
    const below = await Promise.all(changes.map(({ title }) => viewForge(reader, { runId, id: title })));
    return [...changes, ...below.flat()];
  },
  describe: (result) => describeForge(result as FeatureResult),
};
