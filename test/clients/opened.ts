import { delimiter } from "node:path";
import { CLIENTS } from "@slipway/agents/clients/catalog";
import type { ClientName } from "@slipway/agents/clients/client";
import { locate } from "@slipway/agents/clients/open";
import { clientProvider } from "@slipway/agents/clients/provider";
import type { AgentProcess } from "@slipway/agents/process/contract";
import type { Opened } from "@slipway/agents/testing/provider-suite";
import { GREETING, type Behaviour } from "@slipway/agents/testing/provider-suite-cases";
import { lastResults } from "@slipway/agents/testing/model-server/script";
import { startModelServer } from "@slipway/agents/testing/model-server/server";
import { binFolder, keyOf } from "./installed.ts";
import { HABITS, scriptFor } from "./models.ts";
import { commandOf, openPlace } from "./place.ts";
import type { Recorder } from "./recorder.ts";

/** Where the client finds its models: at the scripted server. */
export const BASE: Readonly<Record<ClientName, "" | "/v1">> = { claude: "", codex: "/v1", gemini: "", opencode: "/v1" };

/** The real client in the real sandbox, with a scripted model as the only reachable host. */
export async function openRealClient(name: ClientName, behaviour: Behaviour, recorder: Recorder): Promise<Opened> {
  const client = CLIENTS[name];
  const habits = HABITS[name];
  const server = await startModelServer(scriptFor(habits, behaviour, GREETING.text));
  const place = await openPlace({ [GREETING.path]: GREETING.text });
  const key = behaviour.does === "no credentials" ? {} : keyOf(name);
  const env = { PATH: `${binFolder}${delimiter}${process.env["PATH"]}`, HOME: place.home, ...key };
  const located = locate(client, { agents: null, env, root: place.home });
  if (located === null) throw new Error(`${name} was not found`);
  const provider = clientProvider(client, {
    ...located,
    env,
    configEnv: null,
    // Self-hosted models may need no key.
    baseUrl: behaviour.does === "no credentials" ? null : `${server.url}${BASE[name]}`,
    timeoutMs: null,
    now: Date.now,
    ...(behaviour.does === "flood" ? { maxOutputBytes: 100_000 } : {}),
  });
  const reached = () => server.asked(behaviour.does === "hang with a child" && habits.linger !== null ? 2 : 1);
  if (behaviour.does === "crash") {
    void reached().then(() => {
      for (const pid of place.processes()) if (isClient(pid, client.program)) process.kill(pid, "SIGKILL");
    });
  }
  return {
    provider,
    model: habits.model,
    workplace: {
      ...place.workplace,
      run: recorder.recorded((agent) => place.workplace.run(maimed(agent, behaviour)), place.pack.folder, server.port),
    },
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

/** Without the sandbox around it and the forwarder in front of it. */
function isClient(pid: number, program: string): boolean {
  const command = commandOf(pid);
  return (
    command.includes(program.slice(program.lastIndexOf("/") + 1)) && !command.includes("slipway-forward") && !command.includes("bwrap")
  );
}

/** Effects on the process, not on the model. */
function maimed(agent: AgentProcess, { does }: Behaviour): AgentProcess {
  const within = (script: string) => ({ ...agent, command: ["/bin/sh", "-c", script, "sh", ...agent.command] });
  if (does === "answer and be killed") return within('"$@"; kill -9 $$');
  if (does === "exit 0 silently") return within('"$@" > /dev/null 2>&1; exit 0');
  return agent;
}
