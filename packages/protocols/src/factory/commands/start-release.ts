import type { Arguments } from "../../surface/command.ts";
import type { ExitCode } from "../../surface/exit-codes.ts";
import type { Surface } from "../../surface/surface.ts";
import { partial, type PartialInput } from "../partial.ts";
import { namedModules } from "../release/release.ts";
import { releasePorts } from "../releasing.ts";
import { withFactory } from "./room.ts";

/** A partial release as a run of its own, carried out until it ends or a person is needed. */
export async function startRelease(args: Arguments, surface: Surface, named: readonly string[]): Promise<ExitCode> {
  // Refused before there is a run of it.
  const modules = await withFactory(surface, (room) => namedModules(releasePorts(room), named));
  const input: PartialInput = { module_refs: modules.map(({ module_ref }) => module_ref) };
  return surface.run(args, async (starter) => ({ runId: await starter.start(partial.name, "release", input) }));
}
