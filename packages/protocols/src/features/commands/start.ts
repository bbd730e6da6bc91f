import type { RunCommand } from "../../surface/command.ts";
import { namedSpecs } from "./named-specs.ts";
import { startRun } from "./start-run.ts";

/** From specifications to a run that is carried out until it ends or a person is needed. */
export const run: RunCommand = async (args, surface) => {
  const specs = await namedSpecs(args, surface);
  return surface.run(args, async (starter) => {
    await starter.assertAgents("features");
    return { runId: await startRun(starter, specs, { skipBaseGates: args.flag("skip-base-gates") }) };
  });
};
