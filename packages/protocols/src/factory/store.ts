import type { Artifacts } from "./artifacts/artifacts.ts";
import { highestVersion } from "./artifacts/versions.ts";
import type { CodeIndex } from "./code-index/code-index.ts";
import { refOf, splitRef, type CodeIndexEntry } from "./code-index/entry.ts";
import { inRange } from "./code-index/range.ts";
import { shipEvidenceSchema } from "@slipway/languages/contracts/evidence";
import { contractSchema } from "@slipway/languages/contracts/schema";
import type { Documents } from "@slipway/kernel/record/documents/documents";
import type { Call } from "@slipway/kernel/record/operations/call";
import { CONTRACT_FILE, EXAMPLES_FILE } from "./engineering/deliverable.ts";
import type { EngineeringStore, RoundRecord, ShippedModule } from "./engineering/ports.ts";
import { currentVersionOf } from "./tasks/prepare-task.ts";
import { reuseReportKind } from "./reuse/schema.ts";
import { contextPackKind, contributionKind, debateEntry, debateFileKind, lockedPlanKind, sealedModuleKind } from "./record-kinds.ts";

export interface StoreParts {
  readonly artifacts: Artifacts;
  readonly documents: Documents;
  /** Commits synchronously: a seal is on disk before its files appear. */
  readonly sealing: Pick<Documents, "keep">;
  readonly index: Pick<CodeIndex, "versionsOf" | "find">;
}

/** The records of the engineering loop, as rows and files of the state store. */
export function engineeringStore({ artifacts, documents, sealing, index }: StoreParts): EngineeringStore {
  async function shippedModule(ref: string): Promise<ShippedModule | null> {
    const { module_id, version: range } = splitRef(ref);
    const fitting = (await index.versionsOf(module_id)).filter(({ version }) => inRange(version, range));
    const version = highestVersion(versionsIn(inUse(fitting)));
    const found = version === null ? null : await opened(documents, refOf({ module_id, version }));
    return found === null ? null : { ...found, depends_on: await Promise.all(found.depends_on.map(served)) };
  }

  /** A superseding version with the same interface replaces the one a module was built with. */
  async function served(ref: string): Promise<string> {
    const now = await currentVersionOf(index, ref);
    if (now === ref) return ref;
    const [was, is] = [await opened(documents, ref), await opened(documents, now)];
    return was?.ship.verification.interface_fingerprint === is?.ship.verification.interface_fingerprint ? now : ref;
  }

  return {
    artifacts,
    keepContextPack: (call, draft) => documents.keep(call, contextPackKind, { ...draft, default_permission: "CONTRACT_ONLY" }),
    keepContribution: (call, draft) => documents.keep(call, contributionKind, draft),
    keepRound: (call, record) => keepRound(documents, call, record),
    keepReuseReport: (call, report) => documents.keep(call, reuseReportKind, report),
    lockPlan: (call, locked) => documents.keep(call, lockedPlanKind, { plan_id: locked.plan.micro_plan_id, ...locked }),
    shippedModule,
    async latestVersion(moduleId) {
      const version = highestVersion(versionsIn(await index.versionsOf(moduleId)));
      const module = version === null ? null : await opened(documents, refOf({ module_id: moduleId, version }));
      return module === null ? null : { version: module.version, fingerprint: module.ship.verification.interface_fingerprint };
    },
    sealModule: (call, module) => sealing.keep(call, sealedModuleKind, { ...module, module_ref: refOf(module) }),
  };
}

function versionsIn(entries: readonly CodeIndexEntry[]): string[] {
  return entries.map(({ version }) => version);
}

/** A deprecated version is served only if no other version is shipped. */
function inUse(entries: readonly CodeIndexEntry[]): readonly CodeIndexEntry[] {
  const shipped = entries.filter(({ status }) => status === "SHIPPED");
  return shipped.length > 0 ? shipped : entries;
}

/** From the rows: edited files have no effect. */
async function opened(documents: Documents, ref: string): Promise<ShippedModule | null> {
  const sealed = await documents.find(sealedModuleKind, ref);
  if (sealed === null) return null;
  const { module_id, version, files, depends_on } = sealed;
  return {
    module_id,
    version,
    contract: contractIn(files[CONTRACT_FILE] ?? "null"),
    examples: files[EXAMPLES_FILE] ?? "",
    ship: evidenceIn(files["ship.json"] ?? "null"),
    depends_on,
    sources: files,
  };
}

const contractIn = remembered((text) => contractSchema.parse(JSON.parse(text)));
const evidenceIn = remembered((text) => shipEvidenceSchema.parse(JSON.parse(text)));

const MOST_TEXTS = 1_000;

/** Cached by text: shipped contracts and evidence are read repeatedly by their dependents. */
function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const value = known.get(text) ?? read(text);
    if (known.size >= MOST_TEXTS) known.clear();
    known.set(text, value);
    return value;
  };
}

/** A repeated debate appends its rounds after the existing ones. */
async function keepRound(documents: Documents, call: Call, { debate, round: wanted, files }: RoundRecord): Promise<unknown> {
  const run = call.operationId.split("/").slice(0, 2).join("/");
  let before = 0;
  for (;;) {
    const next = await documents.find(debateFileKind, debateEntry(debate, before + 1, "proposal.json"));
    if (next === null || next.run === run) break;
    before++;
  }
  const round = before + wanted;
  const entries = Object.entries(files).map(([file, body]) => {
    const entry_id = debateEntry(debate, round, file as keyof typeof files);
    return { entry_id, debate, round, file, run, body };
  });
  return documents.keepAll(call, debateFileKind, entries);
}
