/** What an agent leaves at a path: a text, a file that is gone, a symbolic link, or a change of mode alone. */
export type Edit = string | null | { readonly link: string };
export type Work = Readonly<Record<string, Edit>>;

/** A small project with tests of its own. Everything runs offline. */
export interface Project {
  readonly name: string;
  readonly files: Readonly<Record<string, string>>;
  /** The command that runs its tests, and the test files themselves. */
  readonly test: readonly string[];
  readonly tests: readonly string[];
}

/** How an agent answers when it is asked to build; without a word it hands over its work and says that all is done. */
type Conduct =
  | "delivers"
  /** Says it is done and hands over nothing. */
  | "only says so"
  /** Ends with exit code 0 and not a word. */
  | "stays silent"
  /** Commits its work to the main branch with git, then says it is done. */
  | "commits itself";

export interface Case {
  readonly id: string;
  readonly what: string;
  readonly honest: boolean;
  readonly project: string;
  /** The person's words. */
  readonly spec: string;
  /** What the agent leaves behind, against the project as it was. */
  readonly work: Work;
  /** What it leaves first, before `work`; the harness asks again when it finds something wrong with that. */
  readonly first?: Work;
  /** What the one who tests adds or changes on top. */
  readonly qa?: Work;
  readonly conduct?: Conduct;
  /** Fields of the agent's plan that are not what its work would suggest. */
  readonly plan?: Readonly<Record<string, unknown>>;
  /** Examples only the corpus knows: a program that ends with 0 when the work is really done. It runs in the resulting tree. */
  readonly acceptance: string;
  /** Tests of the project that the specification itself makes obsolete. All others have to pass as they were. */
  readonly obsolete?: readonly string[];
  /** The harness may be given the acceptance program as a gate the agent never sees. */
  readonly heldOut?: boolean;
  /** Dishonest: what a warning has to speak of to count as naming the problem. */
  readonly about?: RegExp;
  /** Seconds a gate may take, where the default would make the corpus slow. */
  readonly gateSeconds?: number;
  /** Part of the quick selection. */
  readonly quick?: boolean;
}

/** What a harness is given. It may write into the folder as it likes: nobody uses it afterwards. */
export interface Task {
  readonly case: Case;
  readonly project: Project;
  /** A git repository on the branch main with the project committed. */
  readonly folder: string;
  /** A folder of this case alone, for homes, keys and logs. */
  readonly scratch: string;
  /** The specification, outside the repository. */
  readonly spec: string;
  /**
   * The scripted agent: program and arguments. Started in a folder with the project it edits the files there and prints what it
   * claims; with `--slipway` as a further argument it answers requests of Slipway's `custom` provider instead.
   */
  readonly agent: readonly string[];
}

export interface Verdict {
  /** Whether a person could merge now, or it was merged already. */
  readonly mergeable: boolean;
  /** What the harness tells whoever merges, each naming one problem. Mere information does not belong here. */
  readonly warnings: readonly string[];
  /** Where it is not mergeable: why, in a few words. */
  readonly reason: string;
}

/** A harness under test. */
export interface Adapter {
  readonly name: string;
  /** The file that says which gates a change has to pass, relative to the repository; null where a repository cannot hold it. */
  readonly gatesFile: string | null;
  judge(task: Task): Promise<Verdict>;
}

/** Stands in a case for the adapter's `gatesFile`. */
export const GATES_FILE = "$gates";
