import { readFileSync } from "node:fs";
import { join } from "node:path";
import { SlipwayError } from "@slipway/agents/errors";
import { openEngine } from "@slipway/durable/engine";
import { openScratchKernel, PERSON, type ScratchKernel } from "@slipway/kernel/change/testing/scratch-kernel";
import type { Spec } from "@slipway/kernel/change/plan/specs/read";
import { migrateOwner } from "@slipway/kernel/record/database/migrate";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openChangeServices } from "../change/services.ts";
import { feature, features } from "../features/protocol.ts";
import type { RunRequest } from "../protocol.ts";
import type { Starter } from "../surface/surface.ts";
import { criticalityInner } from "./inner.ts";
import type { CriticalityInput } from "./input.ts";
import { printSpec } from "./spec/print-spec.ts";
import { sampleSpec } from "./spec/testing/specs.ts";
import { CRITICALITY_TABLES } from "./tables.ts";

let scratch: ScratchKernel;
beforeEach(async () => (scratch = await openScratchKernel()));
afterEach(() => scratch.close());

const RUN = "2026-11-18_one-feature";
const SPEC = printSpec(sampleSpec());
const block = (toml: string) => `# Payments\n\nWhat a person reads.\n\n\`\`\`toml\n${toml}\`\`\`\n\nAnd what follows.\n`;

async function prepare(text: string): Promise<CriticalityInput> {
  const spec: Spec = { id: "money", path: "specs/money.md", bytes: Buffer.from(text) };
  const request: RunRequest = { specs: [spec], text: null, cwd: "/", env: {} };
  return (await criticalityInner.prepare(scratch as unknown as Starter, spec, request)) as CriticalityInput;
}

describe("the input of a specification of a run", () => {
  test.each([
    ["line feeds", (text: string) => text],
    ["carriage returns", (text: string) => text.replaceAll("\n", "\r\n")],
  ])("a block of TOML takes the place of the interview, to the byte, with %s", async (_what, ended) => {
    const input = await prepare(ended(block(SPEC)));
    expect(input).toMatchObject({ project: "payment-processor", idea: null });
    const stored = await scratch.records.objects.get(input.spec_digest ?? "");
    expect(Buffer.from(stored).toString("utf8")).toBe(ended(SPEC));
  });

  test.each([
    ["without a block", "# Accounts & transfers\n"],
    ["with a block of another language", "# Accounts & transfers\n\n```ts\nconst a = 1;\n```\n"],
  ])("a text %s is the idea of the interview", async (_what, text) => {
    expect(await prepare(text)).toMatchObject({ idea: text, spec_digest: null });
  });

  test.each([
    [
      "a field of another type",
      SPEC.replace('name = "payment-processor"', "name = 7"),
      /^specs\/money\.md \(block of TOML\):\d+, system\.name: /m,
    ],
    ["a table that is missing", SPEC.replace(/^\[meta\][^[]*/m, ""), /^specs\/money\.md \(block of TOML\):\d+, meta\.version: missing/m],
    ["nothing in it", "", /^specs\/money\.md \(block of TOML\):1, system\.name: missing/m],
    ["no TOML", "name = \n", /^specs\/money\.md \(block of TOML\):1:\d+: not valid TOML/m],
  ])("a block with %s is refused with its file and field", async (_what, toml, message) => {
    const refused = await prepare(block(toml)).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "config_invalid", message: expect.stringMatching(message) });
  });
});

test("a program of a run of features has its feature's name and a folder below the run's, and ends as that feature", async () => {
  const { kernel, records } = scratch;
  const { database, objects, clock, ids, inbox } = records;
  await migrateOwner(database.db, database.sqlite.path, CRITICALITY_TABLES);
  const nobody = new SlipwayError("agent_failed", "nobody is there", { suggested_next_actions: ["Wait."] });
  const opened = openChangeServices(kernel, { invoke: () => Promise.reject(nobody) });
  const services = { ...opened, inner: new Map([["criticality", criticalityInner.workflow]]) };
  const workflows = [features, feature, criticalityInner.workflow];
  const engine = await openEngine({ sqlite: database.sqlite, blobs: objects, clock, ids, inbox, workflows, kernel: services });
  const spec_digest = await objects.put(Buffer.from(block(SPEC)));
  const inner = { protocol: "criticality", input: await prepare(block(SPEC)) };
  const specs = [{ feature_id: "money", spec_source: "specs/money.md", spec_digest, inner }];
  await engine.start(features.name, { max_active_features: 1, skip_base_gates: true, specs }, { runId: RUN });
  const drive = () => engine.drive(RUN, { whenWaiting: "return" });
  try {
    expect(await drive()).toMatchObject({ status: "waiting", questions: [{ runId: `${RUN}/feature:money` }] });
    const [question] = await inbox.listOpen();
    expect(question?.title).toBe("The structurer gave no usable answer for witnesses");
    expect(readFileSync(join(records.layout.run(RUN), "2026-11-18_money", "spec", "spec.toml"), "utf8")).toBe(SPEC);
    await records.answer({ id: question?.id ?? "", value: { decision: "give_up" }, by: PERSON });
    expect(await drive()).toMatchObject({
      status: "completed",
      value: [{ feature_id: "money", status: "failed", landing: null, words: ["money was given up: given up by a person"] }],
    });
  } finally {
    await engine.close();
    await services.close();
  }
});
