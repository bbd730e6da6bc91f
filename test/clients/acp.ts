import { delimiter } from "node:path";
import { agentFor } from "@slipway/agents/acp/open";
import { acpProvider } from "@slipway/agents/acp/provider";
import type { ClientName } from "@slipway/agents/clients/client";
import type { AgentProcess } from "@slipway/agents/process/contract";
import type { Opened } from "@slipway/agents/testing/provider-suite";
import { GREETING, type Behaviour } from "@slipway/agents/testing/provider-suite-cases";
import { lastResults } from "@slipway/agents/testing/model-server/script";
import { startModelServer } from "@slipway/agents/testing/model-server/server";
import { parseAgents } from "@slipway/kernel/config/agents";
import { binFolder, keyOf } from "./installed.ts";
import { HABITS, scriptFor } from "./models.ts";
import { BASE } from "./opened.ts";
import { openPlace } from "./place.ts";

/** The real agent behind the protocol, in the real sandbox, with a scripted model as the only reachable host. */
export async function openRealAgent(name: ClientName, behaviour: Behaviour): Promise<Opened> {
  const habits = HABITS[name];
  const server = await startModelServer(scriptFor(habits, behaviour, GREETING.text));
  const place = await openPlace({ [GREETING.path]: GREETING.text });
  const key = behaviour.does === "no credentials" ? {} : keyOf(name);
  const env = { PATH: `${binFolder}${delimiter}${process.env["PATH"]}`, HOME: place.home, ...key };
  // opencode needs no key for self-hosted models.
  const own = behaviour.does === "no credentials" && name === "opencode" ? {} : { base_url: `${server.url}${BASE[name]}` };
  const agents = parseAgents("agents.yaml", `version: 1\nroles: {}\nruntime: ${JSON.stringify({ acp: { [name]: own } })}\n`);
  const context = { agents, env, root: place.home, cwd: place.home };
  const opened = () => acpProvider(agentFor(context, { provider: `acp:${name}`, model: habits.model, configEnv: null }));
  const reached = () => server.asked(behaviour.does === "hang with a child" && habits.linger !== null ? 2 : 1);
  if (behaviour.does === "crash") {
    void reached().then(() => {
      for (const pid of place.processes()) kill(pid);
    });
  }
  return {
    provider: { name: `acp:${name}`, works: "folder", invoke: async (request, signal) => opened().invoke(request, signal) },
    model: habits.model,
    workplace: { ...place.workplace, run: (process) => place.workplace.run(maimed(process, behaviour)) },
    patch: async () => (await place.pack.changes()).diff,
    toolResults: () => server.requests.flatMap(lastResults),
    reached,
    survivors: place.survivors,
    close: async () => {
      await server.close();
      await place.close();
    },
  };
}

/** It may have ended: the one before it has killed it. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}

/** Effects on the process, not on the model. */
function maimed(agent: AgentProcess, { does }: Behaviour): AgentProcess {
  if (does !== "exit 0 silently") return agent;
  return { ...agent, command: ["/bin/sh", "-c", '"$@" > /dev/null 2>&1; exit 0', "sh", ...agent.command], timeoutMs: 5_000 };
}
