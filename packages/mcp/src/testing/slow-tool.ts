import { SlipwayError } from "@slipway/kernel/schema/errors";
import { tool, type AnyTool } from "@slipway/kernel/tools/tool";
import { z } from "zod";

/** A tool that runs until it is aborted, like a long gate. */
export function slowTool(): { readonly definition: AnyTool; readonly started: Promise<void>; readonly stopped: Promise<void> } {
  const started = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const definition = tool({
    name: "gates.run",
    kind: "mutating",
    description: "A sample tool that takes its time.",
    input: z.strictObject({}),
    output: z.strictObject({}),
    async call(_kernel, _input, { signal, progress }) {
      progress({ done: 1, total: 3, message: "one step done" });
      started.resolve();
      await new Promise<void>((resolve) => signal().addEventListener("abort", () => resolve(), { once: true }));
      stopped.resolve();
      throw new SlipwayError("run_stopped", "The gate was stopped.");
    },
  });
  return { definition, started: started.promise, stopped: stopped.promise };
}
