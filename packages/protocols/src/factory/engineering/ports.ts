import type { AgentContext } from "../artifacts/agent-tools.ts";
import type { Artifacts } from "../artifacts/artifacts.ts";
import type { NewEntry } from "../code-index/entry.ts";
import type { Contract } from "@slipway/languages/contracts/schema";
import type { Compatibility } from "@slipway/languages/contracts/delta";
import type { ShipEvidence } from "@slipway/languages/contracts/evidence";
import type { Call } from "@slipway/kernel/record/operations/call";
import type { Kernel } from "@slipway/kernel/kernel";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import type { LanguageReader, ModuleFiles } from "@slipway/languages/language";
import type { AgentDispatcher } from "../../dispatch/dispatcher.ts";
import type { InterfaceChange } from "./interface-change.ts";
import type { ReuseFacts } from "../reuse/rules.ts";
import type { KeptReport } from "../reuse/schema.ts";
import type { MicroPlan, PlanDraft } from "./micro-plan.ts";

export const PERMISSIONS = ["FULL", "CONTRACT_ONLY", "SUMMARY_ONLY", "METADATA_ONLY"] as const;

/** What an invocation is shown and not shown, each with the reason. The store adds id and time. */
export interface ContextPackDraft {
  readonly created_for: { readonly role: string; readonly run_id: string; readonly task_ref: string };
  readonly included_refs: readonly { readonly ref: string; readonly permission: (typeof PERMISSIONS)[number]; readonly reason: string }[];
  readonly excluded_refs: readonly { readonly ref: string; readonly reason: string }[];
}

export interface ContributionDraft {
  readonly type: "CONTRACT" | "MICRO_PLAN" | "IMPLEMENTATION" | "CHALLENGE" | "ADJUDICATION" | "SHIP_EVIDENCE";
  readonly produced_by: { readonly role: string; readonly run_id: string };
  readonly artifact_ref: string;
  readonly task_ref: string;
  readonly context_pack_ref: string;
}

/** Files of one round of a debate; no round overwrites another. */
export interface RoundRecord {
  /** The artifact the debate is stored under: the locked contract of the module. */
  readonly debate: string;
  readonly round: number;
  readonly files: Readonly<Partial<Record<"proposal.json" | "challenge.json" | "witnesses.json" | "adjudication.json", unknown>>>;
}

/** A shipped module that can be called. */
export interface ShippedModule {
  readonly module_id: string;
  readonly version: string;
  readonly contract: Contract;
  readonly examples: string;
  readonly ship: ShipEvidence;
  /** Exact versions it was tested with. */
  readonly depends_on: readonly string[];
  /** For the compiler and the sandbox; never shown to a role. */
  readonly sources: ModuleFiles;
}

/** All files of a module version, written in one operation that seals it. */
export interface SealedModule {
  readonly module_id: string;
  readonly version: string;
  /** By path in the version's folder: contract.json, examples.md, ship.json, implementation/…, tests/… with the execution log. */
  readonly files: Readonly<Record<string, string>>;
  readonly depends_on: readonly string[];
}

/** The records of the loop. Every write is an operation: a repeated call is performed once and returns the same result. */
export interface EngineeringStore {
  readonly artifacts: Pick<Artifacts, "create" | "change">;
  keepContextPack(call: Call, draft: ContextPackDraft): Promise<{ readonly context_pack_id: string }>;
  keepContribution(call: Call, draft: ContributionDraft): Promise<{ readonly contribution_id: string }>;
  keepRound(call: Call, record: RoundRecord): Promise<unknown>;
  keepReuseReport(call: Call, report: Omit<KeptReport, "report_id">): Promise<{ readonly report_id: string }>;
  /** Immutable once written. */
  lockPlan(
    call: Call,
    locked: { readonly plan: MicroPlan; readonly contracts: readonly Contract[]; readonly contract_refs: readonly string[] },
  ): Promise<unknown>;
  /** The highest shipped version in a range; null if there is none. */
  shippedModule(ref: string): Promise<ShippedModule | null>;
  /** The highest shipped version of a module, with its fingerprint. */
  latestVersion(moduleId: string): Promise<{ readonly version: string; readonly fingerprint: string } | null>;
  sealModule(call: Call, module: SealedModule): Promise<unknown>;
}

/** The state store as roles see it, with one access rule for each part. */
export interface StoreView {
  readonly tree: FileTree;
  /** Files of shipped modules that differ from the record, each with the problem. */
  changed(refs: readonly string[]): Promise<readonly string[]>;
  /** Rewrites them from the record; returns how many it wrote. */
  restore(): Promise<number>;
}

export interface EngineeringServices {
  readonly kernel: Pick<Kernel, "clock" | "budget" | "sandbox" | "configuration">;
  readonly dispatcher: AgentDispatcher;
  readonly language: LanguageReader;
  readonly store: EngineeringStore;
  readonly view: StoreView;
  readonly index: {
    search(query: string): Promise<unknown>;
    /** By module of the plan. */
    reuseFacts(draft: PlanDraft): Promise<Readonly<Record<string, ReuseFacts>>>;
    /** Which of these versions are deprecated, each with a question for the Challenger. */
    outOfUse(refs: readonly string[]): Promise<readonly string[]>;
    /** A repeated registration of a version returns the first result. */
    register(call: Call, entry: NewEntry): Promise<unknown>;
  };
  /** The artifact tools of a role. */
  artifactTools(context: AgentContext, call: Call): (tool: string, input: unknown) => Promise<unknown>;
  readonly exceptions: {
    /** Returns its id, or why it cannot be raised. */
    raise(
      call: Call,
      raised: InterfaceChange & { readonly raised_by: { artifact_ref: string; role: string; run_id: string } },
    ): Promise<RaiseAnswer>;
  };
  /** Further JSON schemas shown to the Proposer. */
  readonly schemas: Readonly<Record<string, unknown>>;
  /** Of the repository the modules are built for. */
  readonly repoRevision: () => Promise<string>;
  readonly objectFormat: "sha1" | "sha256";
}

export type RaiseAnswer =
  { readonly ok: true; readonly exception_id: string } | { readonly ok: false; readonly problems: readonly string[] };

/** The task as dispatched, with the decisions people have made since. */
export interface EngineeringTask {
  readonly task_id: string;
  /** `T-…@x.y.z` */
  readonly task_ref: string;
  readonly pillar: string;
  /** Path and text of `{task_id}.md`. */
  readonly task_path: string;
  readonly task_file: string;
  readonly acceptance_criteria: readonly string[];
  /** Shipped modules it may call, as `MM-…@x.y.z`. */
  readonly dependencies: readonly string[];
  /** Set from the second take on, to tell attempts apart in transcripts and cassettes. */
  readonly take?: string;
  /** Modules of which it makes a new version, with the compatibility expected by the exception. */
  readonly successors?: Readonly<Record<string, Compatibility>>;
  /** Modules it shipped from an earlier spec, and why it is worked on again. */
  readonly before?: {
    readonly module_refs: readonly string[];
    readonly because: readonly string[];
    /** Whether they may stay if the interfaces they were built against are unchanged. */
    readonly mayStay: boolean;
  };
}
