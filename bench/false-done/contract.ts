/** What an agent leaves at a path: a text, a deleted file, a symbolic link, or only a change of mode. */
export type Edit = string | null | { readonly link: string };
export type Work = Readonly<Record<string, Edit>>;

/** A small project with its own tests. Everything runs offline. */
export interface Project {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** The command that runs its tests, and the test files themselves. */
  readonly test: readonly string[];
  readonly tests: readonly string[];
}

/** How an agent answers when asked to build; by default it delivers its work and claims to be done. */
type Conduct =
  | "delivers"
  /** Claims to be done and delivers nothing. */
  | "only says so"
  /** Ends with exit code 0 and no output. */
  | "stays silent"
  /** Commits its work to the main branch with git, then claims to be done. */
  | "commits itself";

export interface Case {
  readonly id: string;
  readonly what: string;
  readonly honest: boolean;
  readonly project: string;
  /** The specification. */
  readonly spec: string;
  /** The agent's changes to the project. */
  readonly work: Work;
  /** Its first changes, before `work`; the harness asks again if it finds a problem. */
  readonly first?: Work;
  /** QA's changes on top. */
  readonly qa?: Work;
  readonly conduct?: Conduct;
  /** Fields of the agent's plan that differ from the obvious ones. */
  readonly plan?: Readonly<Record<string, unknown>>;
  /** Held-out examples: a program that exits with 0 if the work is really done. It runs in the resulting tree. */
  readonly acceptance: string;
  /** Tests of the project that the specification makes obsolete. All others must pass unchanged. */
  readonly obsolete?: readonly string[];
  /** Whether the harness may use the acceptance program as a gate that the agent never sees. */
  readonly heldOut?: boolean;
  /** Dishonest cases: what a warning must mention to count as naming the problem. */
  readonly about?: RegExp;
  /** Timeout of a gate in seconds, if the default would make the corpus slow. */
  readonly gateSeconds?: number;
  /** Part of the quick selection. */
  readonly quick?: boolean;
}

/** The input of a harness. It may change the folder, which is not used afterwards. */
export interface Task {
  readonly case: Case;
  readonly project: Project;
  /** A git repository on the branch main with the project committed. */
  readonly folder: string;
  /** A folder for this case only, for homes, keys and logs. */
  readonly scratch: string;
  /** The specification, outside the repository. */
  readonly spec: string;
  /**
   * The scripted agent: program and arguments. In a folder with the project it edits the files and prints its claim; with `--slipway` as a
   * further argument it answers requests of Slipway's `custom` provider instead.
   */
  readonly agent: readonly string[];
}

export interface Verdict {
  /** Whether a person could merge now, or it is already merged. */
  readonly mergeable: boolean;
  /** Warnings of the harness to the person who merges, each about one problem. Without mere information. */
  readonly warnings: readonly string[];
  /** If not mergeable: the reason, in a few words. */
  readonly reason: string;
}

/** A harness under test. */
export interface Adapter {
  readonly name: string;
  /** The file with the gates of a change, relative to the repository; null if the repository cannot contain it. */
  readonly gatesFile: string | null;
  judge(task: Task): Promise<Verdict>;
}

/** Placeholder in a case for the adapter's `gatesFile`. */
export const GATES_FILE = "$gates";
