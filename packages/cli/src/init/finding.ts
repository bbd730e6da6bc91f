import type { Place } from "./place.ts";

export type StepKind = "compile" | "typecheck" | "lint" | "test";

/** One gate a project really has. */
export interface FoundStep {
  readonly kind: StepKind;
  readonly cmd: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** One sentence: what was chosen and why. */
  readonly why: string;
}

export interface Finding {
  readonly steps: readonly FoundStep[];
  /** Commands the steps start, to be found on this machine. */
  readonly commands: readonly string[];
  /** Folders of the repository that git ignores and the steps need. */
  readonly shared?: readonly string[];
  /** Folders of the home folder the steps need, when they exist. */
  readonly home?: readonly string[];
  /** What was left out, or has to be done by hand. */
  readonly notes?: readonly string[];
}

export type Language = "node" | "python" | "rust" | "go" | "java";

export interface Detector {
  readonly language: Language;
  readonly title: string;
  /** Null when the folder is no project of this language. */
  readonly detect: (place: Place) => Finding | null;
}
