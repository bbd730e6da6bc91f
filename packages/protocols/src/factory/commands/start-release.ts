import type { Arguments } from "../../surface/command.ts";
import type { ExitCode } from "../../surface/exit-codes.ts";
import type { Surface } from "../../surface/surface.ts";
import { partial, type PartialInput } from "../release/partial.ts";
import { namedModules } from "../release/release.ts";
import { releasePorts } from "../release/release-project.ts";
import { withFactory } from "./with-factory.ts";

/** Starts a run for a partial release and drives it until it ends or waits for a person. */
export async function startRelease(args: Arguments, surface: Surface, named: readonly string[]): Promise<ExitCode> {
  // Rejects unknown modules before a run exists.
  const modules = await withFactory(surface, (factory) => namedModules(releasePorts(factory), named));
  const input: PartialInput = { module_refs: modules.map(({ module_ref }) => module_ref) };
  return surface.run(args, async (starter) => ({ runId: await starter.start(partial.name, "release", input) }));
}
