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
import type { AgentDesk } from "../../desk.ts";
import type { InterfaceChange } from "./interface-change.ts";
import type { ReuseFacts } from "../reuse/rules.ts";
import type { KeptReport } from "../reuse/schema.ts";
import type { MicroPlan, PlanDraft } from "./micro-plan.ts";

export const PERMISSIONS = ["FULL", "CONTRACT_ONLY", "SUMMARY_ONLY", "METADATA_ONLY"] as const;

/** What an invocation is shown and what it is not, each with the reason; ids and times are the store's. */
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

/** Files of one round of a debate. Nothing of an earlier round is written over. */
export interface RoundRecord {
  /** The artifact the debate is kept under: the locked contract of the module. */
  readonly debate: string;
  readonly round: number;
  readonly files: Readonly<Partial<Record<"proposal.json" | "challenge.json" | "witnesses.json" | "adjudication.json", unknown>>>;
}

/** A module that is there to be called. */
export interface ShippedModule {
  readonly module_id: string;
  readonly version: string;
  readonly contract: Contract;
  readonly examples: string;
  readonly ship: ShipEvidence;
  /** Exact versions it was tested with. */
  readonly depends_on: readonly string[];
  /** For the compiler and the sandbox. No role ever sees them. */
  readonly sources: ModuleFiles;
}

/** Everything of a module version, at once: it is sealed when this is written, or nothing is. */
export interface SealedModule {
  readonly module_id: string;
  readonly version: string;
  /** By path in the version's folder: contract.json, examples.md, ship.json, implementation/…, tests/… with the execution log. */
  readonly files: Readonly<Record<string, string>>;
  readonly depends_on: readonly string[];
}

/** What the loop keeps. Every write is an operation: the same call twice is carried out once and answered alike. */
export interface EngineeringStore {
  readonly artifacts: Pick<Artifacts, "create" | "change">;
  keepContextPack(call: Call, draft: ContextPackDraft): Promise<{ readonly context_pack_id: string }>;
  keepContribution(call: Call, draft: ContributionDraft): Promise<{ readonly contribution_id: string }>;
  keepRound(call: Call, record: RoundRecord): Promise<unknown>;
  keepReuseReport(call: Call, report: Omit<KeptReport, "report_id">): Promise<{ readonly report_id: string }>;
  /** Written once; no later step can change it. */
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

/** The state store as roles get to see it, each part under its own rule. */
export interface StoreView {
  readonly tree: FileTree;
  /** Files of shipped modules that are not as they were shipped, each with what is wrong. */
  changed(refs: readonly string[]): Promise<readonly string[]>;
  /** Makes them anew, from the record. Returns how many there were. */
  restore(): Promise<number>;
}

export interface EngineeringShop {
  readonly kernel: Pick<Kernel, "clock" | "budget" | "sandbox">;
  readonly desk: AgentDesk;
  readonly language: LanguageReader;
  readonly store: EngineeringStore;
  readonly view: StoreView;
  readonly index: {
    search(query: string): Promise<unknown>;
    /** By module of the plan. */
    reuseFacts(draft: PlanDraft): Promise<Readonly<Record<string, ReuseFacts>>>;
    /** Which of these versions are out of use, with what a Challenger has to ask about each. */
    outOfUse(refs: readonly string[]): Promise<readonly string[]>;
    /** A second registration of the same version is answered with the first. */
    register(call: Call, entry: NewEntry): Promise<unknown>;
  };
  /** What stands between a role and the artifact store. */
  artifactTools(context: AgentContext, call: Call): (tool: string, input: unknown) => Promise<unknown>;
  readonly exceptions: {
    /** Why it cannot be raised, or its id. */
    raise(
      call: Call,
      raised: InterfaceChange & { readonly raised_by: { artifact_ref: string; role: string; run_id: string } },
    ): Promise<Raised>;
  };
  /** JSON schemas the Proposer is shown besides those of this room. */
  readonly schemas: Readonly<Record<string, unknown>>;
  /** Of the repository the modules are for. */
  readonly repoRevision: () => Promise<string>;
  readonly objectFormat: "sha1" | "sha256";
}

export type Raised = { readonly ok: true; readonly exception_id: string } | { readonly ok: false; readonly problems: readonly string[] };

/** The task as it was dispatched, and what a person has said about it since. */
export interface EngineeringTask {
  readonly task_id: string;
  /** `T-…@x.y.z` */
  readonly task_ref: string;
  readonly pillar: string;
  /** Where `{task_id}.md` is, and what is in it. */
  readonly task_path: string;
  readonly task_file: string;
  readonly acceptance_criteria: readonly string[];
  /** Shipped modules it may call, as `MM-…@x.y.z`. */
  readonly dependencies: readonly string[];
  /** Set when it is not the first time: attempts are told apart by it, in transcripts and cassettes. */
  readonly take?: string;
  /** Modules of which it makes a new version, with what the exception says of compatibility. */
  readonly successors?: Readonly<Record<string, Compatibility>>;
  /** What it shipped from an earlier spec, and why it is done again. */
  readonly before?: {
    readonly module_refs: readonly string[];
    readonly because: readonly string[];
    /** They stay if what they were built against is as it was. */
    readonly mayStay: boolean;
  };
}
