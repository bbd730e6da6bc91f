import { CLIENTS } from "@slipway/agents/clients/catalog";
import { startModelServer } from "@slipway/agents/testing/model-server/server";
import { describe, expect, test } from "vitest";
import { FEATURE, featureModel, openRepository } from "./flow.ts";
import { chosenClients } from "./installed.ts";
import { HABITS } from "./models.ts";
import { BASE } from "./opened.ts";

describe("features by an ACP agent, from a specification to its merge", () => {
  test.each(chosenClients())("acp:%s", { timeout: 600_000 }, async (name) => {
    const { model, write } = HABITS[name];
    const server = await startModelServer(featureModel((path, content) => write(path, content, null)));
    const agents = `version: 1\nroles: {}\nruntime:\n  acp:\n    ${name}: { base_url: "${server.url}${BASE[name]}" }\n`;
    const repository = await openRepository(agents, { [CLIENTS[name].keys[0]?.variable ?? ""]: "sk-scripted-0123456789abcdef" });
    try {
      const run = await repository.slipway("run", `specs/${FEATURE}.spec.md`, "--agent-provider", `acp:${name}`, "--agent-model", model);
      expect(run.code, run.out).toBe(23);
      const approved = await repository.slipway("approve", FEATURE, "--yes");
      expect(approved.code, run.out + approved.out).toBe(0);
      const merged = await repository.slipway("merge", FEATURE);
      expect(merged.code, merged.out).toBe(0);
      const { out } = await repository.git("show", "main:src/currency.ts");
      expect(out).toContain("export function formatMoney");
    } finally {
      await server.close();
      repository.close();
    }
  });
});
