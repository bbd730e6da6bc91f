import { startModelServer } from "@slipway/agents/testing/model-server/server";
import { describe, expect, test } from "vitest";
import { FEATURE, featureModel, openRepository } from "./flow.ts";
import { players } from "./players.ts";

describe("features, from a specification to its merge", () => {
  test.each(players())("$name", { timeout: 600_000 }, async ({ provider, model, write, runtime, env }) => {
    const server = await startModelServer(featureModel(write));
    const repository = await openRepository(`version: 1\nroles: {}\nruntime: ${JSON.stringify(runtime(server))}\n`, env);
    try {
      const run = await repository.slipway("run", `specs/${FEATURE}.spec.md`, "--agent-provider", provider, "--agent-model", model);
      expect(run.code, run.out).toBe(23);
      const approved = await repository.slipway("approve", FEATURE, "--yes");
      expect(approved.code, run.out + approved.out).toBe(0);
      const merged = await repository.slipway("merge", FEATURE);
      expect(merged.code, merged.out).toBe(0);
      const { out } = await repository.git("show", "main:src/currency.ts");
      expect(out).toContain("export function formatMoney");
      expect((await repository.git("ls-tree", "-r", "--name-only", "main")).out).toContain("test/receipt.test.ts");
    } finally {
      await server.close();
      repository.close();
    }
  });
});
