import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { overHttp, type HttpServing } from "../http.ts";
import type { Bench } from "./bench.ts";

/** `legacy` clients do the handshake and keep a session, `modern` ones name their revision in each request. */
export type Era = "legacy" | "modern";
export const ERAS: readonly Era[] = ["legacy", "modern"];

export const ACTOR = { actor_type: "orchestrator", actor_id: "kim" };

export function clientOf(era: Era): Client {
  const mode = era === "legacy" ? "legacy" : ({ pin: "2026-07-28" } as const);
  return new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
}

export async function serveOverHttp(bench: Bench, maxBodyBytes?: number): Promise<HttpServing> {
  const serving = await overHttp(bench.parts, bench.authenticate, { port: 0, ...(maxBodyBytes === undefined ? {} : { maxBodyBytes }) });
  onTestFinished(() => serving.close());
  return serving;
}

export async function connect(serving: HttpServing, token: string, era: Era): Promise<Client> {
  const client = clientOf(era);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(serving.url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  );
  onTestFinished(() => client.close());
  return client;
}
