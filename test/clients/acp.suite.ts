import type { ClientName } from "@slipway/agents/clients/client";
import { providerSuite, type ProviderFixture } from "@slipway/agents/testing/provider-suite";
import { openRealAgent } from "./acp.ts";
import { chosenAgents } from "./installed.ts";

const CANNOT: Readonly<Partial<Record<ClientName, ProviderFixture["cannot"]>>> = {
  gemini: { refusal: "it does not say why the model stopped: a refusal is an answer that misses the schema" },
  opencode: {
    refusal: "it drops what the model said when it declined, and ends its turn without a word: that is a failure, not a refusal",
  },
  codex: { refusal: "it drops what the model said when it declined, and ends its turn without a word: that is a failure, not a refusal" },
};

for (const name of chosenAgents()) {
  providerSuite({
    name: `acp:${name}`,
    open: (behaviour) => openRealAgent(name, behaviour),
    cannot: CANNOT[name] ?? {},
    patienceMs: name === "opencode" ? 60_000 : 15_000,
    caseTimeoutMs: 240_000,
  });
}
