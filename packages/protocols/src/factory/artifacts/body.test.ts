import { describe, expect, test } from "vitest";
import { z } from "zod";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { openArtifacts } from "./artifacts.ts";
import { openStoreBench, wish } from "./testing/store-bench.ts";

const record = z.strictObject({ proposal_id: z.string(), claim: z.string().min(1) });
const bodies = { PROPOSAL: [{ file: "proposal.json", schema: record, later: { proposal_id: "PROP-00000000" } }] };

async function create(parts: Parameters<typeof wish>[0]) {
  const bench = await openStoreBench();
  try {
    const { db, door, objects, store: folder } = bench;
    const artifacts = openArtifacts({ db, door, objects, fs: nodeFileSystem, folder, bodies });
    const outcome = await artifacts.create(bench.call(), wish(parts)).catch((error: unknown) => error);
    return { outcome, stored: (await artifacts.query({})).length };
  } finally {
    await bench.close();
  }
}
const proposal = (text: string) => create({ artifact_type: "PROPOSAL", body: { "proposal.json": text, "notes.md": "anything" } });

describe("the body of an artifact with a schema", () => {
  test("is stored, with or without its future id", async () => {
    expect(await proposal('{"claim": "it doubles"}')).toMatchObject({ outcome: { artifact_type: "PROPOSAL" }, stored: 1 });
    expect(await proposal('{"claim": "it doubles", "proposal_id": "PROP-1"}')).toMatchObject({ stored: 1 });
    expect(await create({ artifact_type: "IMPLEMENTATION", body: { "proposal.json": "anything" } })).toMatchObject({ stored: 1 });
  });

  test.each([
    ["no JSON", "it doubles", "/body/proposal.json: is not valid JSON"],
    ["a list", "[]", "/body/proposal.json: expected an object"],
    ["an empty field", '{"claim": ""}', "/body/proposal.json/claim: "],
    ["an unknown field", '{"claim": "it doubles", "next": "ship"}', "/body/proposal.json/next: "],
  ])("[FAC-076] is refused with %s, and nothing is stored", async (_what, text, message) => {
    const { outcome, stored } = await proposal(text);
    expect(outcome).toMatchObject({ code: "schema_validation_failed", message: expect.stringContaining(message) });
    expect(stored).toBe(0);
  });

  test("is refused without its file", async () => {
    const { outcome } = await create({ artifact_type: "PROPOSAL", body: {} });
    expect(outcome).toMatchObject({ message: expect.stringContaining("/body/proposal.json: is missing") });
  });
});
