import { openEngine, type Engine } from "@slipway/durable/engine";
import { fingerprintOf } from "@slipway/languages/contracts/fingerprint";
import { openScratchKernel, PERSON, POLICY, type ApprovedFacts, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { codeOf, contractOf, examplesOf, testsOf } from "../../engineering/testing/modules.ts";
import { partial } from "../partial.ts";
import { openFactoryServices, type FactoryServices } from "../../services.ts";
import { shippedEntry } from "../../testing/factory-records.ts";
import { migrateFactory } from "../../tables.ts";

/** `MM-name@version`, its dependencies, and its code if it differs from the default. */
export interface Shipped {
  readonly ref: string;
  readonly built_with?: readonly string[];
  readonly code?: string;
}

export interface Yard extends Pick<ScratchKernel, "git" | "write" | "root" | "kernel" | "records"> {
  readonly services: FactoryServices;
  /** Runs a partial release until it ends or waits. */
  release(...refs: string[]): Promise<Awaited<ReturnType<Engine["drive"]>>>;
  drive(): Promise<Awaited<ReturnType<Engine["drive"]>>>;
  question(): Promise<InboxQuestion>;
  answer(value: unknown): Promise<void>;
  approve(): Promise<void>;
  close(): Promise<void>;
}

export const NOT_ASKED = POLICY.replace("merge_policy: {", "merge_policy: { require_user_approval: false,");

/** A real repository with modules shipped in advance; no agent builds any here. */
export async function openYard(shipped: readonly Shipped[], files: Readonly<Record<string, string>> = {}): Promise<Yard> {
  const scratch = await openScratchKernel(files);
  await migrateFactory(scratch.records.database.db, scratch.records.database.sqlite.path);
  const { kernel, records } = scratch;
  const services = openFactoryServices({ kernel, dispatcher: { invoke: () => Promise.reject(new Error("nobody is asked")) }, env: {} });
  for (const module of shipped) await ship(services, module);
  const { database, objects, clock, ids, inbox } = records;
  const engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows: [partial], kernel: services });
  const drive = () => engine.drive("yard", { whenWaiting: "return" });
  async function question(): Promise<InboxQuestion> {
    const [first] = await inbox.listOpen();
    if (first === undefined) throw new Error("nothing is asked");
    return first;
  }
  const answer = async (value: unknown) => void (await records.answer({ id: (await question()).id, value, by: PERSON }));
  return {
    ...scratch,
    services,
    drive,
    question,
    answer,
    async release(...module_refs) {
      await engine.start("factory-release", { module_refs }, { runId: "yard" });
      return drive();
    },
    approve: async () => answer({ decision: "approve", token: scratch.sign((await question()).context as unknown as ApprovedFacts) }),
    async close() {
      services.language.close();
      await engine.close();
      await scratch.close();
    },
  };
}

async function ship(services: FactoryServices, { ref, built_with = [], code }: Shipped): Promise<void> {
  const [module_id = "", version = ""] = ref.split("@");
  const name = module_id.slice("MM-".length);
  const dependencies = built_with.map((used) => ({ ref: used.replace("@", "@^"), why: "it doubles" }));
  const contract = contractOf(module_id, name, { module_version: version, dependencies });
  const evidence = {
    module_id,
    module_version: version,
    ship_id: "SHIP-0a1b2c3d",
    verified_at: "2026-01-01T00:00:00.000Z",
    verification: { result: "PASS", interface_fingerprint: fingerprintOf(contract), evidence_ref: "log" },
    environment: { repo_revision: "a", dependency_lock_ref: "b", runner_id: "c" },
  };
  const files = {
    "contract.json": JSON.stringify(contract),
    "examples.md": examplesOf(name),
    "implementation/index.ts": code ?? codeOf(name),
    "tests/module.test.ts": testsOf(name),
    "ship.json": JSON.stringify(evidence),
  };
  const call = (what: string) => ({ actor: { type: "orchestrator", id: "yard" } as const, operationId: `${what}/${ref}` });
  await services.store.sealModule(call("seal"), { module_id, version, files, depends_on: built_with });
  await services.index.register(call("register"), shippedEntry(name, { version, dependencies: dependencies.map((one) => one.ref) }));
}
