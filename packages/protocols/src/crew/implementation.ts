import { openRunFiles } from "@slipway/kernel/record/run-files/run-files";
import type { FeatureResult } from "../change/feature-run.ts";
import { narrateChange } from "../change/narrate.ts";
import { openChangeServices } from "../change/services.ts";
import { viewChanges } from "../change/view.ts";
import type { Protocol } from "../protocol.ts";
import { describeCrew } from "./describe.ts";
import { crewDispatch } from "./dispatch/dispatch.ts";
import { CREW_NARRATION } from "./narrate.ts";
import { prepareCrew } from "./prepare.ts";
import { crew as root, crewChange } from "./protocol.ts";
import { viewCrew } from "./view.ts";

export const crew: Protocol = {
  started: [root],
  parts: [crewChange, crewDispatch],
  open({ kernel, dispatcher, env }) {
    const { close, ...services } = openChangeServices(kernel, dispatcher, env);
    return {
      workflows: services,
      close,
      // Missing files are written again from the rows; what was edited is judged before the next dispatch.
      async ready(_workflow, runId) {
        const files = openRunFiles(kernel.records, runId);
        const onDisk = await Promise.all((await files.paths()).map((path) => files.onDisk(path)));
        if (onDisk.includes(null)) await files.restore().catch(() => []);
      },
    };
  },
  prepare: prepareCrew,
  narrate: (event) => narrateChange(event, CREW_NARRATION),
  async view(reader, runId) {
    const changes = await viewChanges(reader, runId, CREW_NARRATION);
    const below = await Promise.all(changes.map(({ title }) => viewCrew(reader, { runId, id: title })));
    return [...changes, ...below.flat()];
  },
  describe: (result) => describeCrew(result as FeatureResult),
};
