import type { ProtocolEntry } from "../protocol.ts";
import type { CommandSpec } from "./command.ts";
import { runOptions } from "./run-options.ts";

const file = { type: "string", hint: "FILE", describe: "read it from a file (written -fi FILE)" } as const;

/** Arguments and options by what the protocol takes. */
const TAKEN: Readonly<Record<ProtocolEntry["takes"], Pick<CommandSpec, "positionals" | "options">>> = {
  specifications: {
    positionals: [{ name: "spec", describe: "specification file (Markdown)", required: false, many: true }],
    options: { fi: file, fl: { type: "string", hint: "FOLDER", describe: "every *.md below a folder (written -fl FOLDER)" } },
  },
  "a page": { positionals: [{ name: "spec", describe: "what is wanted (Markdown)", required: true }], options: {} },
  "a request": { positionals: [{ name: "request", describe: "what is wanted, in plain words", required: false }], options: { fi: file } },
  "an interview": { positionals: [{ name: "idea", describe: "what the interview is about", required: false }], options: { fi: file } },
};

/** `slipway NAME …`, the same as `slipway run --protocol NAME …`. */
export function startCommand(entry: ProtocolEntry): CommandSpec {
  const { name, summary, example, takes, subcommands, options: own = {}, flags = {} } = entry;
  const { positionals, options } = TAKEN[takes];
  return {
    name,
    summary,
    example,
    positionals,
    options: { ...options, ...own, ...flags, ...runOptions },
    ...(subcommands === undefined ? {} : { subcommands }),
    load: async () => {
      const { startProtocol } = await import("./start-protocol.ts");
      return { run: (args, surface) => startProtocol(entry, args, surface) };
    },
  };
}
