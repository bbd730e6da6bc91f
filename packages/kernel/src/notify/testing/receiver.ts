import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
  close(): Promise<void>;
}

/** A real HTTP server on loopback. `answer` decides what it does with each request, counted from 1. */
export async function openReceiver(
  answer: (response: ServerResponse, number: number) => void = (response) => void response.end(),
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url: path, headers } = request;
      received.push({ method, path, headers, body: Buffer.concat(chunks).toString("utf8") });
      answer(response, received.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook?key=secret`,
    port,
    received,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** The address of a server that has just been closed. */
export async function deadEndpoint(): Promise<string> {
  const receiver = await openReceiver();
  await receiver.close();
  return receiver.url;
}
