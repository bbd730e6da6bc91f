import type { RunCommand } from "../command.ts";
import { startFactory } from "../start-factory.ts";

export const run: RunCommand = (args, io) => startFactory(args, io, args.positionals[0] ?? "");
