import type { WireName } from "../../testing/model-server/script.ts";
import type { ModelServer } from "../../testing/model-server/server.ts";
import type { Endpoint, EndpointKind } from "../endpoints.ts";

export const KEY = "sk-scripted-5d0c7a91b3";

/** Every wire with an endpoint of its kind and a typical model. */
export const WIRES: readonly { readonly wire: WireName; readonly kind: EndpointKind; readonly model: string }[] = [
  { wire: "anthropic", kind: "anthropic", model: "claude-sonnet-4-5" },
  { wire: "responses", kind: "openai", model: "gpt-5" },
  { wire: "chat", kind: "openai-compatible", model: "qwen3:8b" },
  { wire: "gemini", kind: "google", model: "gemini-3-pro" },
];

export function endpointAt(server: ModelServer, wire: WireName): { readonly endpoint: Endpoint; readonly model: string } {
  const { kind, model } = WIRES.find((known) => known.wire === wire)!;
  const endpoint = { name: wire, kind, baseUrl: server.baseUrls[wire], keyEnv: "SCRIPTED_KEY", schemas: true };
  return { endpoint, model: `${wire}/${model}` };
}
