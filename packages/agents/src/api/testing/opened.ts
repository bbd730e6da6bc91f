import { byTurn, inOrder, type Script, type WireName } from "../../testing/model-server/script.ts";
import { startModelServer } from "../../testing/model-server/server.ts";
import { packWorkplace } from "../../testing/pack-workplace.ts";
import { GREETING, type Behaviour } from "../../testing/provider-suite-cases.ts";
import type { Opened, ProviderFixture } from "../../testing/provider-suite.ts";
import { apiProvider } from "../provider.ts";
import { endpointAt, KEY } from "./endpoints.ts";

const FLOOD = 1024 * 1024;

/** A fixture for the provider suite, for one wire format. */
export function apiFixture(name: string, wire: WireName): ProviderFixture {
  return {
    name,
    open: (behaviour) => open(wire, behaviour),
    cannot: {
      "output without exit code": "there is no process",
      "process group killed with no orphans": "there is no process",
    },
    patienceMs: 300,
  };
}

async function open(wire: WireName, behaviour: Behaviour): Promise<Opened> {
  const server = await startModelServer(scriptFor(behaviour));
  const { endpoint, model } = endpointAt(server, wire);
  const { workplace, pack } = await packWorkplace({ [GREETING.path]: GREETING.text });
  const env = behaviour.does === "no credentials" ? {} : { SCRIPTED_KEY: KEY };
  return {
    provider: apiProvider({ endpoints: [endpoint], env, priceOf: () => null, maxCharacters: FLOOD }),
    model,
    workplace,
    patch: async () => (await pack.changes()).diff,
    reached: () => server.asked(1),
    survivors: () => Promise.resolve([]),
    close: () => server.close(),
  };
}

function scriptFor(behaviour: Behaviour): Script {
  switch (behaviour.does) {
    case "answer": {
      const [first, ...rest] = behaviour.answers.map((text) => ({ text }));
      return inOrder(first!, ...rest);
    }
    case "refuse":
      return () => ({ refusal: "I cannot help with that." });
    case "read":
      return byTurn({ toolCalls: [{ name: "read_file", input: { path: behaviour.path } }] }, { text: behaviour.answer });
    case "write": {
      const input = { path: behaviour.path, content: behaviour.content };
      return byTurn({ toolCalls: [{ name: "write_file", input }] }, { text: behaviour.answer });
    }
    case "rate limit":
      return () => ({
        failure: "rate_limit",
        ...(behaviour.retryAfterSeconds === null ? {} : { retryAfterSeconds: behaviour.retryAfterSeconds }),
      });
    case "out of quota":
      return () => ({ failure: "quota" });
    case "break off":
      return () => ({ text: "An answer that never comes to its end. ".repeat(100), truncate: 1500 });
    case "crash":
      return () => ({ text: "", truncate: 0 });
    case "exit 0 silently":
      return () => ({ text: "" });
    case "flood":
      return () => ({ text: "x".repeat(2 * FLOOD) });
    default:
      return () => ({ hang: true });
  }
}
