import type { Configuration } from "@slipway/kernel/config/load";
import type { RepositoryView } from "@slipway/kernel/repository-view";
import type { Io } from "@slipway/protocols/surface/io";

/** One row of the report. `fix` is a command or an instruction; null if nothing needs fixing. */
export interface DoctorRow {
  readonly name: string;
  readonly status: "ok" | "note" | "problem";
  readonly finding: string;
  readonly fix: string | null;
}

/** The repository under examination. */
export interface DoctorSubject {
  readonly io: Io;
  readonly repository: RepositoryView;
  /** The committed configuration, or the working tree's if none is committed; null if neither can be read. */
  readonly configuration: () => Promise<Configuration | null>;
  /** Whether a person has trusted it; no program that it names is started otherwise. Throws where that cannot be read. */
  readonly trusted: () => Promise<boolean>;
}

/** A check may throw: the error's message becomes the problem, and its first next action the fix. */
export interface DoctorCheck<Subject> {
  readonly name: string;
  readonly look: (subject: Subject) => Promise<readonly DoctorFinding[]>;
}

export type DoctorFinding = Omit<DoctorRow, "name"> & { readonly name?: string };

export const ok = (finding: string): DoctorFinding => ({ status: "ok", finding, fix: null });
export const note = (finding: string, fix: string | null = null): DoctorFinding => ({ status: "note", finding, fix });
export const problem = (finding: string, fix: string): DoctorFinding => ({ status: "problem", finding, fix });
