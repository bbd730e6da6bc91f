import { createServer, type Socket } from "node:net";
import { greeting, type Introduction } from "./protocol.ts";

/** Unused connections from the launcher. */
export interface Connections {
  /** Takes `count` connections with their numbers; null if there are not enough. */
  take(count: number): (readonly [number: number, connection: Socket])[] | null;
  close(): void;
}

export function openConnections({ address, secret }: Introduction, onNew: () => void): Promise<Connections> {
  const spares = new Map<number, Socket>();
  const server = createServer((socket) => {
    socket.unref().on("error", () => socket.destroy());
    // Not "data": a stream in flowing mode would not wait for its next reader.
    socket.once("readable", () => {
      const line = String(socket.read());
      const number = Number(line.split(" ")[1]);
      if (line !== greeting(secret, number)) return void socket.destroy();
      spares.set(number, socket);
      socket.once("close", () => spares.delete(number));
      onNew();
    });
  });
  const connections: Connections = {
    take(count) {
      if (spares.size < count) return null;
      const taken = [...spares].slice(0, count);
      for (const [number] of taken) spares.delete(number);
      return taken;
    },
    close() {
      server.close();
      for (const spare of spares.values()) spare.destroy();
    },
  };
  return new Promise((resolve, reject) => {
    server.once("error", reject).unref();
    server.listen(address, () => resolve(connections));
  });
}
