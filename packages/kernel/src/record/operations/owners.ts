import { systemHost, type HostIdentity, type ProcessIdentity } from "@slipway/durable/host";

/** Whether the process that started an operation is still alive. */
export interface Owners {
  /** This process, as the ledger names it. */
  readonly self: string;
  /** "unknown": a process of another host, container or boot, which cannot be inspected. */
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
