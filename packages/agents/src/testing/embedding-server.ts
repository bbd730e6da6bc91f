import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface EmbeddingServer {
  readonly baseUrl: string;
  readonly seen: { readonly url: string; readonly key: string | undefined; readonly body: Record<string, unknown> }[];
  /** Responds with this failure from now on; null: with vectors again. */
  fail(with_: { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> } | null): void;
  close(): Promise<void>;
}

/** An embeddings endpoint on loopback. Its vectors only count letters. */
export async function openEmbeddingServer(dimensions = 256): Promise<EmbeddingServer> {
  const seen: EmbeddingServer["seen"] = [];
  let failure: Parameters<EmbeddingServer["fail"]>[0] = null;
  const server = createServer(async (request, response) => {
    const body = JSON.parse((await request.toArray()).join("")) as Record<string, unknown>;
    seen.push({ url: request.url ?? "", key: request.headers.authorization, body });
    if (failure !== null) return void response.writeHead(failure.status, failure.headers).end(JSON.stringify(failure.body));
    const texts = body["input"] as readonly string[];
    const data = texts.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text, dimensions) }));
    response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify({ object: "list", data, model: body["model"], usage: { prompt_tokens: 1, total_tokens: 1 } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    seen,
    fail: (with_) => void (failure = with_),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function vectorOf(text: string, dimensions: number): number[] {
  const vector = Array.from({ length: dimensions }, () => 0.01);
  for (const letter of text.toLowerCase()) {
    const at = letter.charCodeAt(0) % dimensions;
    vector[at] = (vector[at] ?? 0) + 1;
  }
  return vector;
}
