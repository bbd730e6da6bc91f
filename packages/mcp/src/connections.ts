import type { Socket } from "node:net";
import type { Server } from "node:http";
import { hardOpenFiles } from "@slipway/kernel/host/sandbox/host";

/** Time for the headers of a request, and for all of it. */
export const TIMEOUTS = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 1_000 } as const;
/** A request without a token that is accepted takes milliseconds. */
const MOST_STRANGERS = 64;
const MOST_OF_SUBJECT = 128;
const MOST = 1024;
/** The rest is for gates, agents and git. */
const SHARE_OF_DESCRIPTORS = 4;

/** Bounds the connections of a server, so that clients take no descriptors that its gates need. */
export interface BoundConnections {
  /** The socket has sent a token of this subject. False if the subject has too many connections. */
  known(socket: Socket, subject: string): boolean;
}

export function boundConnections(server: Server): BoundConnections {
  server.maxConnections = Math.min(MOST, Math.floor(hardOpenFiles() / SHARE_OF_DESCRIPTORS));
  const mostStrangers = Math.min(MOST_STRANGERS, Math.floor(server.maxConnections / 2));
  /** In the order of their arrival. */
  const strangers = new Set<Socket>();
  const subjects = new Map<Socket, string>();
  server.on("connection", (socket: Socket) => {
    strangers.add(socket);
    socket.once("close", () => {
      strangers.delete(socket);
      subjects.delete(socket);
    });
    const [oldest] = strangers;
    if (strangers.size > mostStrangers) oldest?.destroy();
  });
  return {
    known(socket, subject) {
      strangers.delete(socket);
      if (subjects.get(socket) === subject) return true;
      const count = [...subjects.values()].filter((other) => other === subject).length;
      if (count >= Math.min(MOST_OF_SUBJECT, mostStrangers)) return false;
      subjects.set(socket, subject);
      return true;
    },
  };
}
