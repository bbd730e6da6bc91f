import { systemHost, type HostIdentity, type ProcessIdentity } from "@slipway/durable/host";

/** Whether the process that began an operation can still end it. */
export interface Owners {
  /** This process, as the ledger names it. */
  readonly self: string;
  /** "unknown": a process of another host, container or boot, of which nothing can be said. */
  stateOf(owner: string): "alive" | "dead" | "unknown";
}

export function ownersOn(host: HostIdentity = systemHost()): Owners {
  const { pid, startedAt } = host;
  return {
    self: JSON.stringify({ host: host.host, pid, startedAt }),
    stateOf(owner) {
      const other = JSON.parse(owner) as ProcessIdentity;
      if (host.isDead(other)) return "dead";
      return other.host === host.host ? "alive" : "unknown";
    },
  };
}
