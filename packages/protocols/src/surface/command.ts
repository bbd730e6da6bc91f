import type { ExitCode } from "./exit-codes.ts";
import type { Surface } from "./surface.ts";

export interface OptionSpec {
  readonly type: "boolean" | "string";
  readonly describe: string;
  readonly hint?: string;
  readonly short?: string;
}

/** One row of the command tree. `load` is called only when the command runs. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly example: string;
  readonly positionals: readonly {
    readonly name: string;
    readonly describe: string;
    readonly required: boolean;
    readonly many?: boolean;
    /** What it can be, where the help lists it. */
    readonly values?: readonly { readonly name: string; readonly summary: string }[];
  }[];
  readonly options: Readonly<Record<string, OptionSpec>>;
  readonly load: () => Promise<{ readonly run: RunCommand }>;
  /** Called as `slipway NAME SUBNAME`; each has only its own word as its name. */
  readonly subcommands?: readonly CommandSpec[];
}

export interface Arguments {
  readonly positionals: readonly string[];
  /** The value of a string option. */
  text(name: string): string | undefined;
  flag(name: string): boolean;
}

export type RunCommand = (args: Arguments, surface: Surface) => Promise<ExitCode>;
