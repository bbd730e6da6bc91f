import { describe, expect, test } from "vitest";
import { startModelServer } from "@slipway/agents/testing/model-server/server";
import { FEATURE, featureModel, openRepository } from "./flow.ts";
import { chosenClients, keyOf } from "./installed.ts";
import { HABITS } from "./models.ts";
import { BASE } from "./opened.ts";

describe("features, from a specification to its merge", () => {
  test.each(chosenClients())("%s", { timeout: 600_000 }, async (name) => {
    const { model, write } = HABITS[name];
    const server = await startModelServer(featureModel((path, content) => write(path, content, null)));
    const agents = `version: 1\nroles: {}\nruntime:\n  ${name}: { base_url: "${server.url}${BASE[name]}" }\n`;
    const repository = await openRepository(agents, keyOf(name));
    try {
      const run = await repository.slipway("run", `specs/${FEATURE}.spec.md`, "--agent-provider", name, "--agent-model", model);
      expect(run.code, run.out).toBe(23);
      const approved = await repository.slipway("approve", FEATURE, "--yes");
      expect(approved.code, approved.out).toBe(0);
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
