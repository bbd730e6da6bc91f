import { delimiter } from "node:path";
import { agentFor } from "@slipway/agents/acp/open";
import { acpProvider } from "@slipway/agents/acp/provider";
import { CLIENTS } from "@slipway/agents/clients/catalog";
import type { ClientName } from "@slipway/agents/clients/client";
import { locate } from "@slipway/agents/clients/open";
import { clientProvider } from "@slipway/agents/clients/provider";
import type { AgentEvent, Provider } from "@slipway/agents/provider";
import { byTurn } from "@slipway/agents/testing/model-server/script";
import { startModelServer } from "@slipway/agents/testing/model-server/server";
import { REQUEST } from "@slipway/agents/testing/samples";
import { addUsage, NOTHING_USED } from "@slipway/agents/usage";
import { parseAgents } from "@slipway/kernel/config/agents";
import { describe, expect, test } from "vitest";
import { binFolder, chosenAgents, chosenClients, keyOf } from "./installed.ts";
import { HABITS } from "./models.ts";
import { BASE } from "./opened.ts";
import { openPlace } from "./place.ts";

type Open = (place: { readonly env: Record<string, string>; readonly root: string; readonly baseUrl: string }) => Provider;

/** The usage that a call reports if it is stopped while its model processes a tool result. */
async function stopped(name: ClientName, open: Open) {
  const { model, read } = HABITS[name];
  const usage = { input: 1000, cached: 400, output: 30 };
  const server = await startModelServer(byTurn({ toolCalls: [read("greeting.txt")], usage }, { hang: true }));
  const place = await openPlace({ "greeting.txt": "Hello.\n" });
  const env = { PATH: `${binFolder}${delimiter}${process.env["PATH"]}`, HOME: place.home, ...keyOf(name) };
  const provider = open({ env, root: place.home, baseUrl: `${server.url}${BASE[name]}` });
  const events: AgentEvent[] = [];
  const stop = new AbortController();
  try {
    void server.asked(2).then(() => stop.abort(new Error("that is enough")));
    const onEvent = (event: AgentEvent) => void events.push(event);
    const request = { ...REQUEST, model, workplace: place.workplace, timeoutMs: 240_000, onEvent };
    await expect(provider.invoke(request, stop.signal)).rejects.toThrow("that is enough");
    return events.flatMap((event) => (event.kind === "usage" ? [event.usage] : [])).reduce(addUsage, NOTHING_USED);
  } finally {
    await server.close();
    await place.close();
  }
}

describe("a stopped call", () => {
  test.each(chosenClients())("%s has used what its model was sent before", async (name) => {
    const told = await stopped(name, ({ env, root, baseUrl }) => {
      const located = locate(CLIENTS[name], { agents: null, env, root }) ?? { command: [], programs: [] };
      return clientProvider(CLIENTS[name], { ...located, env, configEnv: null, baseUrl, timeoutMs: null, now: Date.now });
    });
    expect(told).toMatchObject({ input_tokens: 1000, cached_input_tokens: 400 });
    expect(told.output_tokens).toBeGreaterThan(0);
  });

  test.each(chosenAgents())("acp:%s has used what its model was sent before", async (name) => {
    const told = await stopped(name, ({ env, root, baseUrl }) => {
      const agents = parseAgents(
        "agents.yaml",
        `version: 1\nroles: {}\nruntime: ${JSON.stringify({ acp: { [name]: { base_url: baseUrl } } })}\n`,
      );
      return acpProvider(
        agentFor({ agents, env, root, cwd: root }, { provider: `acp:${name}`, model: HABITS[name].model, configEnv: null }),
      );
    });
    expect(told.input_tokens).toBeGreaterThanOrEqual(1000);
  });
});
