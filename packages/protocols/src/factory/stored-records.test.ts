import { existsSync, readdirSync } from "node:fs";
import type { ArtifactType } from "./artifacts/envelope.ts";
import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import { beforeEach, describe, expect, test } from "vitest";
import { APPROVE, challengeOf, contractOf, planOf, plannedModule, reportOf } from "./engineering/testing/modules.ts";
import { escalationKind } from "./escalation/schema.ts";
import { AT, draft, machine } from "./escalation/testing/samples.ts";
import { exceptionKind } from "./exceptions/schema.ts";
import { exception } from "./exceptions/testing/samples.ts";
import { openFactoryStores, type FactoryStores } from "./stores.ts";
import { factoryRecords, shippedEntry, type FactoryRecords } from "./testing/factory-records.ts";

let kept: FactoryRecords;
let stores: FactoryStores;
beforeEach(async () => {
  kept = await factoryRecords();
  stores = openFactoryStores(kept.records);
});

type Fields = Readonly<Record<string, unknown>>;
interface Way {
  /** A valid record. */
  readonly good: Fields;
  /** Its optional fields. */
  readonly optional?: readonly string[];
  /** Invalid values, by field; and the reported field if it is another. */
  readonly wrong: readonly (readonly [field: string, value: unknown, at?: string])[];
  /** Stores it as the factory's code does, without regard to types. */
  readonly store: (record: never) => Promise<unknown>;
}

const PAGES = { pillar: "core", created_by: { role: "proposer", run_id: "run-1" }, context_pack_ref: "CP-0a1b2c3d" };
const LOG = {
  module_id: "MM-twice",
  module_version: "1.0.0",
  executed_at: AT,
  tests: [{ name: "doubles", result: "PASS" }],
  summary: { total: 1, passed: 1, failed: 0 },
};
const EVIDENCE = {
  module_id: "MM-twice",
  module_version: "1.0.0",
  ship_id: "SHIP-0a1b2c3d",
  verified_at: AT,
  verification: { result: "PASS", interface_fingerprint: fingerprintOf(contractOf()), evidence_ref: "log" },
  environment: { repo_revision: "a", dependency_lock_ref: "b", runner_id: "c" },
};
const PROPOSAL = { target_artifact_id: "IMPL-1", claim: "It doubles.", deliverable_ref: "IMPL-1@1.0.0", acceptance_checks: ["it doubles"] };
const CHALLENGE = { target_artifact_id: "IMPL-1", ...challengeOf() };
const ADJUDICATION = { target_artifact_id: "IMPL-1", ...APPROVE };
const PLAN = { micro_plan_id: "MP-0a1b2c3d", parent_task_ref: "T-a-b-c-001@1.0.0", modules: [plannedModule("MM-twice")] };
const ROUND = { debate: "CTR-0a1b2c3d", round: 1, file: "proposal.json", body: { proposal_id: "PROP-1", ...PROPOSAL } };
const { exception_id: _, ...EXCEPTION } = exception();

const asArtifact = (artifact_type: ArtifactType, file: string, more: Record<string, string> = {}) => ({
  store: (record: never) =>
    stores.artifacts.create(kept.call(), { ...PAGES, artifact_type, body: { [file]: JSON.stringify(record), ...more } }),
});
const inRound = (file: "proposal.json" | "challenge.json" | "adjudication.json") => ({
  store: (body: never) => stores.store.keepRound(kept.call(), { debate: "CTR-0a1b2c3d", round: 1, files: { [file]: body } }),
});
const sealedAs = (file: string) => ({
  store: (record: never) =>
    stores.store.sealModule(kept.call(), {
      module_id: "MM-twice",
      version: "1.0.0",
      files: { "contract.json": JSON.stringify(contractOf()), "ship.json": JSON.stringify(EVIDENCE), [file]: JSON.stringify(record) },
      depends_on: [],
    }),
});
const INPUTS = [{ name: "n", type: "TBD", constraints: [] }];
const DECISIONS = [
  ["decision", "SHIP_IT"],
  ["ship_directive", "NO_SHIP"],
] as const;
const NOT_MET = challengeOf({ R3: "an error nobody declared" }).rubric_assessments;

const WAYS: Readonly<Record<string, Way>> = {
  ArtifactEnvelope: {
    good: { ...PAGES, artifact_type: "IMPLEMENTATION", body: { "a.ts": "" } },
    wrong: [
      ["context_pack_ref", "none"],
      ["artifact_type", "PICTURE"],
      ["created_by", { role: "proposer" }],
    ],
    store: (record) => stores.artifacts.create(kept.call(), record),
  },
  MicroModuleContract: { good: contractOf(), wrong: [["inputs", INPUTS]], ...asArtifact("CONTRACT", "contract.json") },
  "MicroModuleContract, sealed": { good: contractOf(), wrong: [["inputs", INPUTS]], ...sealedAs("contract.json") },
  ShipEvidence: {
    good: EVIDENCE,
    optional: ["ship_id"],
    wrong: [["verification", { ...EVIDENCE.verification, result: "MAYBE" }]],
    ...asArtifact("SHIP_EVIDENCE", "ship.json", { "execution_log.json": JSON.stringify(LOG) }),
  },
  "ShipEvidence, sealed": { good: EVIDENCE, wrong: [["verified_at", "yesterday"]], ...sealedAs("ship.json") },
  CodeIndexEntry: {
    good: shippedEntry("twice"),
    optional: ["status", "superseded_by", "notes"],
    wrong: [
      ["status", "DEPRECATED"],
      ["version", "1"],
    ],
    store: (record) => stores.codeIndex.append(kept.call(), record),
  },
  DebateState: {
    good: ROUND,
    wrong: [
      ["round", 0],
      ["file", "notes.json"],
      ["body", { claim: "It doubles." }],
    ],
    // Other requested fields are ignored.
    optional: ["surprise"],
    store: ({ debate, round, file, body }: typeof ROUND) => stores.store.keepRound(kept.call(), { debate, round, files: { [file]: body } }),
  },
  Proposal: { good: PROPOSAL, wrong: [["acceptance_checks", []]], ...asArtifact("PROPOSAL", "proposal.json") },
  "Proposal, in its round": { good: ROUND.body, wrong: [["claim", " "]], ...inRound("proposal.json") },
  Challenge: {
    good: CHALLENGE,
    wrong: [
      ["verdict", "MAYBE"],
      ["rubric_assessments", []],
      ["rubric_assessments", NOT_MET, "verdict"],
    ],
    ...asArtifact("CHALLENGE", "challenge.json"),
  },
  "Challenge, in its round": {
    good: { challenge_id: "CHAL-1", ...CHALLENGE },
    wrong: [["rubric_assessments", CHALLENGE.rubric_assessments.slice(1)]],
    ...inRound("challenge.json"),
  },
  Adjudication: { good: ADJUDICATION, wrong: DECISIONS, ...asArtifact("ADJUDICATION", "adjudication.json") },
  "Adjudication, in its round": { good: { adjudication_id: "ADJ-1", ...ADJUDICATION }, wrong: DECISIONS, ...inRound("adjudication.json") },
  EscalationArtifact: {
    good: { escalation_id: "ESC-0a1b2c3d", created_at: AT, state_machine_snapshot: machine(), ...draft() },
    wrong: [
      ["recommended_resolution", "IGNORE"],
      ["escalation_id", "ESC-1"],
      ["state_machine_snapshot", { tasks: {} }],
    ],
    store: (record) => stores.documents.keep(kept.call(), escalationKind, record),
  },
  ContextPack: {
    good: { created_for: { role: "planner", run_id: "run-1", task_ref: "T-a-b-c-001@1.0.0" }, included_refs: [], excluded_refs: [] },
    wrong: [["included_refs", [{ ref: "MM-twice@1.0.0", permission: "EVERYTHING", reason: "why not" }]]],
    store: (record) => stores.store.keepContextPack(kept.call(), record),
  },
  InterfaceChangeException: {
    good: EXCEPTION,
    wrong: [
      ["type", "UNHAPPY"],
      ["evidence", []],
      ["exception_id", "ICE-0a1b2c3d"],
    ],
    store: (record) => stores.documents.keep(kept.call(), exceptionKind, record),
  },
  ReuseSearchReport: {
    good: { ...reportOf("MM-twice"), task_id: "T-a-b-c-001", near_duplicates: [] },
    wrong: [
      ["conclusion", "MAYBE"],
      ["justification", "TBD"],
    ],
    store: (record) => stores.store.keepReuseReport(kept.call(), record),
  },
  MicroPlan: { good: { ...planOf(["MM-twice"]) }, wrong: [["modules", []]], ...asArtifact("MICRO_PLAN", "micro_plan.json") },
  "MicroPlan, locked": {
    good: PLAN,
    wrong: [
      ["modules", [{ ...PLAN.modules[0], reuse_decision: "PERHAPS" }]],
      ["parent_task_ref", "T-a"],
    ],
    store: (plan) => stores.store.lockPlan(kept.call(), { plan, contracts: [contractOf()], contract_refs: ["CTR-0a1b2c3d@1.0.0"] }),
  },
};

/** All rows and files. */
async function stored(): Promise<number> {
  const documents = await kept.records.database.db.selectFrom("documents").select("id").execute();
  const files = existsSync(kept.folder) ? readdirSync(kept.folder, { recursive: true }) : [];
  return documents.length + (await stores.artifacts.query({})).length + (await stores.codeIndex.snapshot()).length + files.length;
}

describe("[FAC-216] the storage layer itself refuses invalid records and stores valid ones:", () => {
  test.each(Object.entries(WAYS))("%s", async (_name, { good, optional = [], wrong, store }) => {
    const required = Object.keys(good).filter((field) => !optional.includes(field));
    const without = required.map((field): Way["wrong"][number] => [field, undefined]);
    const surplus: Way["wrong"] = optional.includes("surprise") ? [] : [["surprise", 1]];
    for (const [field, value, at] of [...without, ...wrong, ...surplus]) {
      const { [field]: _old, ...others } = good;
      const record = value === undefined ? others : { ...others, [field]: value };
      const refusal = {
        code: expect.stringMatching(/^(?:schema_validation_failed|payload_not_json)$/),
        message: expect.stringContaining(at ?? field),
      };
      await expect(store(record as never), `${field}: ${JSON.stringify(value)}`).rejects.toMatchObject(refusal);
    }
    expect(await stored()).toBe(0);
    await store(good as never);
    expect(await stored()).toBeGreaterThan(0);
  });

  test("invalid JSON and a missing file are no records either", async () => {
    const create = (body: Record<string, string>) => stores.artifacts.create(kept.call(), { ...PAGES, artifact_type: "CHALLENGE", body });
    await expect(create({})).rejects.toThrow("/body/challenge.json: is missing");
    await expect(create({ "challenge.json": "no objections" })).rejects.toThrow("/body/challenge.json: is not valid JSON");
    await expect(create({ "challenge.json": "[]" })).rejects.toThrow("/body/challenge.json: ");
    expect(await stored()).toBe(0);
  });
});
