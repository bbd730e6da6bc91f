import { providerSuite } from "../testing/provider-suite.ts";
import { CLIENT_NAMES } from "./client.ts";
import { openPlayed } from "./testing/played.ts";

for (const name of CLIENT_NAMES) {
  providerSuite({
    name: `${name}, from what the real client wrote`,
    open: async (behaviour) => openPlayed(name, behaviour),
    cannot:
      name === "gemini" ? { refusal: "its stream does not say why the model stopped: a refusal is an answer that misses the schema" } : {},
    patienceMs: 1_500,
  });
}
