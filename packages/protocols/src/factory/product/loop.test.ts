import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { manualProvider } from "@slipway/agents/manual/provider";
import { replayProvider } from "@slipway/agents/replay";
import { SlipwayError } from "@slipway/agents/errors";
import { afterEach, describe, expect, test } from "vitest";
import { MAX_ROUNDS } from "./refine.ts";
import { sampleSpec } from "./testing/specs.ts";
import { emit, openStudio, resultOf, write, type Studio, type Turn } from "./testing/studio.ts";

let studio: Studio;
afterEach(() => studio.close());

const APPROVE = { decision: "APPROVE" };

async function open(script: readonly Turn[], options: Parameters<typeof openStudio>[1] = {}): Promise<string> {
  studio = await openStudio(script, options);
  return studio.start();
}

describe("providers", () => {
  const rounds = [[write("draft.json", "first")], [emit(sampleSpec())]];

  test("one that only takes prompts gets everything in them", async () => {
    const runId = await open(rounds);
    await studio.drive(runId);
    expect(studio.asked[1]?.prompt).toContain('## "draft.json"');
    expect(studio.asked.every(({ workplace }) => workplace === null)).toBe(true);
    expect(studio.file(`runs/${runId}/product/1/draft.json`)).toBe("first");
  });

  test("one that works in a folder finds the same texts there, read-only", async () => {
    const seen: string[][] = [];
    const provider = async () => ({
      name: "client",
      works: "folder" as const,
      async invoke({ workplace, prompt }: Parameters<Awaited<ReturnType<typeof replayProvider>>["invoke"]>[0]) {
        seen.push(readdirSync(workplace!.folder).toSorted());
        expect(prompt).toContain("You cannot change them.");
        return {
          text: JSON.stringify({ calls: rounds[seen.length - 1] }),
          usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 },
          model: null,
        };
      },
    });
    const runId = await open([], { provider });
    await studio.drive(runId);
    expect(seen).toEqual([["SPEC.md"], ["SPEC.md", "draft.json"]]);
    expect((await studio.question()).kind).toBe("spec_approval");
  });

  test("a cassette is replayed round by round, keyed by context and round", async () => {
    const folder = mkdtempSync(join(tmpdir(), "slipway-cassette-"));
    mkdirSync(join(folder, "product-owner"));
    writeFileSync(join(folder, "cassette.json"), JSON.stringify({ version: 1, created: "2026-11-20", description: "product" }));
    for (const [index, calls] of rounds.entries()) {
      const attempt = `1.${index + 1}`;
      const entry = { role: "product-owner", subject: "ledger", attempt, prompt_digest: null, output: { calls } };
      writeFileSync(join(folder, "product-owner", `ledger.${attempt}.json`), JSON.stringify(entry));
    }
    const runId = await open([], { provider: () => replayProvider({ folder }) });
    await studio.drive(runId);
    await studio.answer(APPROVE);
    expect(resultOf(await studio.drive(runId))).toMatchObject({ status: "approved", spec: sampleSpec() });
  });

  test("a person may play it by hand: each round is a question, answered with calls", async () => {
    const runId = await open([], {
      provider: async ({ records }) => manualProvider({ root: records.layout.root, folder: () => join(records.layout.root, "asked") }),
    });
    for (const calls of rounds) {
      await studio.drive(runId);
      const { kind, context } = await studio.question();
      expect(kind).toBe("manual");
      expect(readFileSync(join(String(context["folder"]), "REQUEST.md"), "utf8")).toContain("emit_structured_spec");
      await studio.answer({ decision: "done", answer: { calls } });
    }
    await studio.drive(runId);
    expect((await studio.question()).kind).toBe("spec_approval");
  });
});

describe("without a result", () => {
  test("after three invalid answers in a row a person decides, and the draft still exists", async () => {
    const nonsense = Array.from({ length: 9 }, () => "no idea");
    const runId = await open([[write("draft.json", "kept")], ...nonsense, [emit(sampleSpec())]]);
    await studio.drive(runId);
    const { kind, body } = await studio.question();
    expect([kind, body.includes("agent_output_invalid")]).toEqual(["blocked", true]);
    await studio.answer({ decision: "retry", comment: "answer in JSON" });
    await studio.drive(runId);
    const { input } = studio.asked.at(-1)!;
    expect(input.instructions).toContain("A person has written to you");
    expect(input.context_bundle).toContainEqual({ kind: "human_message", title: "message 1", text: "answer in JSON" });
    expect(input.context_bundle).toContainEqual({ kind: "draft", title: "draft.json", text: "kept" });
    expect((await studio.question()).kind).toBe("spec_approval");
  });

  test("one bad answer between good ones is reported and tolerated", async () => {
    const runId = await open(["no", "no", "no", [emit(sampleSpec())]]);
    await studio.drive(runId);
    expect(studio.asked.at(-1)?.input.last_tool_results).toContain("agent_output_invalid");
    expect((await studio.question()).kind).toBe("spec_approval");
  });

  test("rounds are bounded; given up, the loop ends without a spec", async () => {
    const runId = await open([[write("draft.json", "again")]]);
    await studio.drive(runId);
    expect(studio.asked).toHaveLength(MAX_ROUNDS);
    expect((await studio.question()).body).toContain(`No spec was emitted in ${MAX_ROUNDS} rounds.`);
    await studio.answer({ decision: "give_up", comment: "not worth it" });
    expect(resultOf(await studio.drive(runId))).toEqual({ status: "given_up", reason: "ledger was given up: not worth it" });
    expect(studio.file("state_store/product/spec.json")).toBeNull();
  });

  test("an error that only a person can fix is asked at once", async () => {
    const runId = await open([
      new SlipwayError("provider_auth_missing", "no key", { suggested_next_actions: ["Sign in."] }),
      [emit(sampleSpec())],
    ]);
    await studio.drive(runId);
    expect(studio.asked).toHaveLength(1);
    expect((await studio.question()).body).toContain("next: Sign in.");
    await studio.answer({ decision: "retry" });
    await studio.drive(runId);
    expect(studio.asked[1]?.input.context_bundle.at(-1)?.text).toBe("Try again.");
  });

  test("a provider's limit is waited for, and costs no round", async () => {
    const runId = await open([new SlipwayError("quota_exhausted", "come back later"), [emit(sampleSpec())]]);
    await studio.drive(runId);
    const { kind, title } = await studio.question();
    expect([kind, title]).toEqual(["limit", "ledger waits: quota_exhausted"]);
    await studio.answer({ decision: "retry" });
    await studio.drive(runId);
    expect(studio.asked.map(({ attempt }) => attempt)).toEqual(["1.1", "1.1"]);
  });

  test("a budget that might not suffice is a question", async () => {
    const files = { "slipway/agents.yaml": "{ version: 1, roles: {}, runtime: { budgets: { run: { max_tokens: 10 } } } }\n" };
    const runId = await open([[emit(sampleSpec())]], { files });
    await studio.drive(runId);
    expect(await studio.question()).toMatchObject({ kind: "budget", context: { project: "ledger", dimension: "tokens" } });
    await studio.answer({ decision: "raise" });
    await studio.drive(runId);
    expect((await studio.question()).kind).toBe("spec_approval");
  });

  test("a limit that is given up ends the loop", async () => {
    const runId = await open([new SlipwayError("quota_exhausted", "come back later")]);
    await studio.drive(runId);
    await studio.answer({ decision: "give_up" });
    expect(resultOf(await studio.drive(runId))).toMatchObject({ status: "given_up" });
  });
});

test("a resumed run asks nothing twice and emits nothing twice", async () => {
  const runId = await open([[write("draft.json", "one")], [emit(sampleSpec())], [emit(sampleSpec())]]);
  await studio.drive(runId);
  await studio.answer({ decision: "AMEND", feedback: "look again" });
  await studio.reopen();
  await studio.drive(runId);
  await studio.reopen();
  await studio.answer(APPROVE);
  expect(resultOf(await studio.drive(runId))?.status).toBe("approved");
  expect(studio.asked.map(({ attempt }) => attempt)).toEqual(["1.1", "1.2", "1.3"]);
  expect((await studio.events()).filter(({ name }) => name === "factory.emit_spec")).toHaveLength(2);
});
