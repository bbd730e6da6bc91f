import { storePaths } from "../artifacts/layout.ts";
import { highestVersion } from "../artifacts/versions.ts";
import type { CodeIndex } from "../code-index/code-index.ts";
import { refOf, splitRef, type CodeIndexEntry, type IndexStatus } from "../code-index/entry.ts";
import { inRange } from "../code-index/range.ts";
import { executionLogSchema, type ExecutionLog, type ShipEvidence } from "@slipway/languages/contracts/evidence";
import type { Contract } from "@slipway/languages/contracts/schema";
import type { EngineeringStore } from "../engineering/ports.ts";

/** The public view of a shipped module: contract and evidence, no source. */
export interface ModuleView {
  readonly module_ref: string;
  readonly status: IndexStatus;
  readonly superseded_by: string | null;
  readonly notes: string;
  readonly contract: Contract;
  readonly examples: string;
  readonly evidence: ShipEvidence;
  readonly tests: ExecutionLog | null;
  /** The versions it was tested with. */
  readonly built_with: readonly string[];
  /** Everything whose dependencies allow this version. */
  readonly dependents: readonly string[];
  readonly versions: readonly { readonly version: string; readonly status: IndexStatus }[];
  /** In the state store. */
  readonly folder: string;
}

export interface ModuleStores {
  readonly codeIndex: Pick<CodeIndex, "versionsOf" | "dependentsOf">;
  readonly store: Pick<EngineeringStore, "shippedModule">;
}

/** Without a version or with a range: the highest version in use. Null if there is none. */
export async function moduleView({ codeIndex, store }: ModuleStores, named: string): Promise<ModuleView | null> {
  const { module_id, version: range } = splitRef(named);
  const entries = await codeIndex.versionsOf(module_id);
  const entry = chosen(entries, range);
  const module = entry === null ? null : await store.shippedModule(refOf(entry));
  if (entry === null || module === null) return null;
  const { status, superseded_by, notes, version } = entry;
  const log = executionLogSchema.safeParse(JSON.parse(module.sources["tests/execution_log.json"] ?? "null"));
  return {
    module_ref: refOf(entry),
    status,
    superseded_by,
    notes,
    contract: module.contract,
    examples: module.examples,
    evidence: module.ship,
    tests: log.success ? log.data : null,
    built_with: module.depends_on,
    dependents: (await codeIndex.dependentsOf(refOf(entry))).map(refOf),
    versions: entries.map((one) => ({ version: one.version, status: one.status })),
    folder: `state_store/${storePaths.module(module_id, version)}`,
  };
}

function chosen(entries: readonly CodeIndexEntry[], range: string): CodeIndexEntry | null {
  const fitting = entries.filter(({ version }) => range === "" || inRange(version, range));
  const shipped = fitting.filter(({ status }) => status === "SHIPPED");
  const version = highestVersion((shipped.length > 0 ? shipped : fitting).map((entry) => entry.version));
  return fitting.find((entry) => entry.version === version) ?? null;
}
