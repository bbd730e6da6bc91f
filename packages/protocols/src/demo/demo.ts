import type { Outcome } from "@slipway/durable/outcome";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { RunRequest } from "../protocol.ts";
import type { OptionSpec } from "../surface/command.ts";
import type { Reader } from "../surface/surface.ts";

/** What the program knows of a demo before it loads it. */
export interface DemoEntry {
  /** `slipway demo NAME`, and the folder of its files below `demos/`. */
  readonly name: string;
  readonly summary: string;
  /** Options of its own, besides those that every demo has. */
  readonly options?: Readonly<Record<string, OptionSpec>>;
  readonly load: () => Promise<Demo>;
}

/** A demo, loaded. The flow is the same for every demo; `Told` is what the demo keeps of one run. */
export interface Demo<Told = unknown> {
  readonly files: DemoFiles;
  /** The command that writes its cassettes, where a program does; then `--record` is refused. */
  readonly writtenBy?: string;
  readonly edit?: DemoEdit;
  /** A second request in the same repository, always made. */
  readonly next?: { readonly say: string; readonly request: DemoRequest };
  /** The words before the approvals. Default: "Ready to merge". */
  readonly readyToMerge?: string;
  /** The lines of a question that are shown with its answer. Default: its body. */
  excerpt?(question: InboxQuestion): readonly string[];
  /** Why a run that waits or did not complete is an error; null where `close` tells it. Default: such a run is an error. */
  stuck?(outcome: Outcome, asked: readonly InboxQuestion[]): string | null;
  /** Reads the result of a run from the records. */
  summarise(reader: Reader, run: DemoRun): Promise<Told>;
  /** Two runs if the edit was asked for or there is a second request, one otherwise. */
  close(runs: readonly [Told, ...Told[]], finished: FinishedDemo): DemoClosing;
}

/** The data of a demo. */
export interface DemoFiles {
  /** Holds project/ and cassette/, and where there are any specs/ and answers.json. */
  readonly folder: string;
  /** The project's files are put over it. */
  readonly published: PublishedPackage | null;
  /** npm packages of Slipway's own installation that the project's tests need; copied to its node_modules, which git ignores. */
  readonly packages?: readonly string[];
  readonly commitMessage: string;
  /** Describes the gates, for the record of a machine without a sandbox. */
  readonly gates: string;
  readonly request: DemoRequest;
}

export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** Integrity of the tarball in npm's format: `sha512-…`. */
  readonly integrity: string;
}

/** What the protocol is given: every specification below a folder, a page, or words with the protocol's own options. */
export type DemoRequest =
  { readonly specs: string } | { readonly page: string } | (Pick<RunRequest, "options" | "flags"> & { readonly text: string });

/** An edit of the project after the first run. The same request is made again. */
export interface DemoEdit {
  /** The option that asks for it. */
  readonly option: string;
  /** The folder of the answers for the second run. */
  readonly cassette: string;
  readonly commitMessage: string;
  /** Edits files of the repository and returns a text that says so. */
  apply(repository: string): Promise<string>;
}

export interface DemoRun {
  readonly runId: string;
  readonly outcome: Outcome;
}

/** What a demo closes with besides its runs. */
export interface FinishedDemo {
  readonly repository: string;
  readonly request: RunRequest;
  readonly elapsedMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly color: boolean;
  /** Printed after "in that folder" if `slipway` is not on the PATH. */
  readonly howToCall: string;
}

export interface DemoClosing {
  /** Whether the demo came to its intended end: exit code 0 or 3. */
  readonly done: boolean;
  readonly lines: readonly string[];
  /** The last line of `--json`. */
  readonly json: object;
}
