import { checkBody } from "./artifacts/body.ts";
import { storePaths } from "./artifacts/layout.ts";
import { moduleRef } from "./code-index/entry.ts";
import { contractSchema, moduleId, moduleVersion } from "@slipway/languages/contracts/schema";
import { jsonText, type DocumentKind } from "@slipway/kernel/record/documents/kind";
import { z } from "zod";
import { SEALED } from "./bodies.ts";
import { adjudicationSchema, challengeSchema, proposalSchema } from "./engineering/debate/schemas.ts";
import { microPlanSchema } from "./engineering/micro-plan.ts";
import { PERMISSIONS } from "./engineering/ports.ts";

const nonEmpty = z.string().regex(/\S/, "must not be empty");
const at = z.iso.datetime();
/** An artifact, a module, a task or a text, always in one version. */
const versioned = z.string().regex(/\S.*@\d+\.\d+\.\d+$/s, "must be id@version");
const by = { role: nonEmpty, run_id: nonEmpty };

const contextPack = z.strictObject({
  context_pack_id: z.string().regex(/^CP-[0-9a-f]{8}$/),
  created_for: z.strictObject({ ...by, task_ref: nonEmpty }),
  included_refs: z.array(z.strictObject({ ref: versioned, permission: z.enum(PERMISSIONS), reason: nonEmpty })),
  excluded_refs: z.array(z.strictObject({ ref: versioned, reason: nonEmpty })),
  default_permission: z.literal("CONTRACT_ONLY"),
  created_at: at,
});

/** The context pack of an invocation. */
export const contextPackKind: DocumentKind<z.output<typeof contextPack>> = {
  kind: "context pack",
  prefix: "CP",
  idField: "context_pack_id",
  timeField: "created_at",
  schema: contextPack,
  fixity: "once",
  loose: true,
  files: (id, pack) => ({ [storePaths.contextPack(id)]: jsonText(pack) }),
};

const contribution = z.strictObject({
  contribution_id: z.string().regex(/^CONTRIB-[0-9a-f]{8}$/),
  type: z.enum(["CONTRACT", "MICRO_PLAN", "IMPLEMENTATION", "CHALLENGE", "ADJUDICATION", "SHIP_EVIDENCE"]),
  produced_by: z.strictObject(by),
  artifact_ref: nonEmpty,
  task_ref: nonEmpty,
  context_pack_ref: nonEmpty,
  created_at: at,
});

/** The result of an invocation. */
export const contributionKind: DocumentKind<z.output<typeof contribution>> = {
  kind: "contribution",
  prefix: "CONTRIB",
  idField: "contribution_id",
  timeField: "created_at",
  schema: contribution,
  fixity: "once",
  loose: true,
  files: (id, one) => ({ [storePaths.contribution(id)]: jsonText(one) }),
};

const ofRound = {
  entry_id: nonEmpty,
  debate: nonEmpty,
  round: z.int().min(1),
  /** The run of the debate: a resumed task debates the same contract again. */
  run: nonEmpty,
};
const witnessed = z.strictObject({
  failure_index: z.int().min(0),
  standing: z.enum(["fact", "upheld", "refuted", "opinion", "document"]),
  report: z.string(),
});

const debateFile = z.discriminatedUnion("file", [
  z.strictObject({ ...ofRound, file: z.literal("proposal.json"), body: proposalSchema }),
  z.strictObject({ ...ofRound, file: z.literal("challenge.json"), body: challengeSchema }),
  z.strictObject({ ...ofRound, file: z.literal("witnesses.json"), body: z.array(witnessed) }),
  z.strictObject({ ...ofRound, file: z.literal("adjudication.json"), body: adjudicationSchema }),
]);

/** One file of one round. */
export const debateFileKind: DocumentKind<z.output<typeof debateFile>> = {
  kind: "debate file",
  prefix: null,
  idField: "entry_id",
  schema: debateFile,
  fixity: "once",
  loose: true,
  files: (_id, { debate, round, file, body }) => ({ [`${storePaths.debateRound(debate, round)}/${file}`]: jsonText(body) }),
};

export function debateEntry(debate: string, round: number, file: z.output<typeof debateFile>["file"]): string {
  return `${debate}/${round}/${file}`;
}

const lockedPlan = z.strictObject({
  plan_id: nonEmpty,
  plan: microPlanSchema,
  contracts: z.array(contractSchema),
  /** As artifacts, in the same order; each debate is stored under one of them. */
  contract_refs: z.array(nonEmpty),
});

/** Records that the plan is locked; its files are those of the artifacts. */
export const lockedPlanKind: DocumentKind<z.output<typeof lockedPlan>> = {
  kind: "locked plan",
  prefix: null,
  idField: "plan_id",
  schema: lockedPlan,
  fixity: "once",
  files: () => ({}),
};

const sealedModule = z.strictObject({
  module_ref: moduleRef,
  module_id: moduleId,
  version: moduleVersion,
  files: z.record(z.string(), z.string()).superRefine((files, context) => checkBody(SEALED, files, context)),
  depends_on: z.array(moduleRef),
});

const LAST = "ship.json";

/** A shipped version with all its files. ship.json is written last, so its presence implies the others. */
export const sealedModuleKind: DocumentKind<z.output<typeof sealedModule>> = {
  kind: "module",
  prefix: null,
  idField: "module_ref",
  schema: sealedModule,
  fixity: "once",
  files(_id, { module_id, version, files }) {
    const folder = storePaths.module(module_id, version);
    const paths = Object.keys(files).toSorted((left, right) => Number(left === LAST) - Number(right === LAST));
    return Object.fromEntries(paths.map((path) => [`${folder}/${path}`, files[path] ?? ""]));
  },
};
