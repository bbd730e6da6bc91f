import { readFileSync } from "node:fs";
import { join } from "node:path";
import { providerSuite, type Opened } from "../testing/provider-suite.ts";
import { GREETING, type Behaviour } from "../testing/provider-suite-cases.ts";
import { acpProvider } from "./provider.ts";
import { scriptedAgent } from "./testing/opened.ts";
import type { Act, Script } from "./testing/scripted-agent.ts";
import { plainWorkplace } from "./testing/workplace.ts";

providerSuite({
  name: "acp with a scripted agent",
  patienceMs: 2_500,
  async open(behaviour): Promise<Opened> {
    const { agent, reached, survivors } = scriptedAgent(scriptFor(behaviour));
    const workplace = plainWorkplace({ [GREETING.path]: GREETING.text });
    return {
      provider: acpProvider(agent),
      workplace,
      patch: async () => diffOf(readFileSync(join(workplace.folder, GREETING.path), "utf8")),
      reached,
      survivors,
      close: async () => undefined,
    };
  },
});

function scriptFor(behaviour: Behaviour): Omit<Script, "marks"> {
  if (behaviour.does === "no credentials") return { acts: [], signIn: "key" };
  return { acts: actsFor(behaviour) };
}

function actsFor(behaviour: Exclude<Behaviour, { does: "no credentials" }>): Act[] {
  switch (behaviour.does) {
    case "answer":
      return [{ does: "say", text: "Let me look. " }, { does: "terminal" }, { does: "answer", texts: behaviour.answers }];
    case "refuse":
      return [
        { does: "say", text: "I would rather not." },
        { does: "stop", reason: "refusal" },
      ];
    case "read":
      return [
        { does: "read", path: behaviour.path },
        { does: "say", text: behaviour.answer },
      ];
    case "write":
      return [
        { does: "write", path: behaviour.path, content: behaviour.content },
        { does: "say", text: behaviour.answer },
      ];
    case "hang":
      return [{ does: "hang" }];
    case "hang with a child":
      return [{ does: "hang", child: true }];
    case "rate limit":
      return [{ does: "fail", code: -32603, message: "API Error: 429 rate_limit_error, retry after 120 seconds" }];
    case "out of quota":
      return [{ does: "fail", code: -32603, message: "Internal error", data: { errorKind: "billing_error" } }];
    case "crash":
      return [{ does: "exit", code: 70, stderr: "fatal: the worker is gone\n" }];
    case "break off":
      return [{ does: "say", text: '{"verdict":' }, { does: "half a line" }];
    case "answer and be killed":
      return [
        { does: "say", text: behaviour.answer },
        { does: "stop", reason: "end_turn" },
      ];
    case "exit 0 silently":
      return [{ does: "exit", code: 0 }];
    case "flood":
      return [{ does: "flood", lines: true }];
  }
}

/** The change of the only file, as git would show it. */
function diffOf(text: string): string {
  return text === GREETING.text ? "" : `--- a/${GREETING.path}\n+++ b/${GREETING.path}\n-${GREETING.text}+${text}`;
}
