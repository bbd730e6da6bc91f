import type { ClientName } from "@slipway/agents/clients/client";
import { providerSuite, type ProviderFixture } from "@slipway/agents/testing/provider-suite";
import { chosenClients } from "./installed.ts";
import { openRealClient } from "./opened.ts";
import { createRecorder } from "./recorder.ts";

const CANNOT: Readonly<Partial<Record<ClientName, ProviderFixture["cannot"]>>> = {
  gemini: { refusal: "its stream does not say why the model stopped: a refusal is an answer that misses the schema" },
};

for (const name of chosenClients()) {
  const recorder = createRecorder(process.env["SLIPWAY_CLIENTS_RECORD"] === "1");
  providerSuite({
    name,
    open: (behaviour) => openRealClient(name, behaviour, recorder),
    cannot: CANNOT[name] ?? {},
    patienceMs: name === "opencode" ? 60_000 : 15_000,
    caseTimeoutMs: 240_000,
    onPassed: (passed, opened) => recorder.keep(name, passed, opened.toolResults?.() ?? []),
  });
}
