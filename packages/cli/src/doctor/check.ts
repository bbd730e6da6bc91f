import type { Configuration } from "@slipway/kernel/config/load";
import type { Repository } from "@slipway/kernel/host/git/repository";
import type { Io } from "@slipway/protocols/surface/io";

/** One line of what the doctor says. `mend` is an exact command or sentence; null when nothing needs mending. */
export interface Row {
  readonly name: string;
  readonly status: "ok" | "note" | "problem";
  readonly finding: string;
  readonly mend: string | null;
}

/** What a check may look at. */
export interface Patient {
  readonly io: Io;
  readonly repository: Repository;
  /** The committed configuration, or the working tree's while there is no committed one; null when neither can be read. */
  readonly configuration: () => Promise<Configuration | null>;
}

/** A check may throw: the error's message becomes its problem, and its first next action the mend. */
export interface Check<Subject> {
  readonly name: string;
  readonly look: (subject: Subject) => Promise<readonly Finding[]>;
}

export type Finding = Omit<Row, "name"> & { readonly name?: string };

export const ok = (finding: string): Finding => ({ status: "ok", finding, mend: null });
export const note = (finding: string, mend: string | null = null): Finding => ({ status: "note", finding, mend });
export const problem = (finding: string, mend: string): Finding => ({ status: "problem", finding, mend });
