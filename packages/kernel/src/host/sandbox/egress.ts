/** What a command sent to one host through the gateway. */
export interface HostTraffic {
  /** host:port. */
  readonly host: string;
  readonly connections: number;
  readonly bytes_out: number;
  readonly bytes_in: number;
  /** Why connections were refused, each reason once. */
  readonly refused: readonly string[];
}

export interface HostMeter {
  out(): number;
  in(): number;
}

interface Entry {
  connections: number;
  out: number;
  in: number;
  readonly open: Set<HostMeter>;
  readonly refused: Set<string>;
}

export const NOT_NAMED = "the host is not one that the command may reach";

/** A command chooses the names that it asks for. */
const MOST_HOSTS = 64;
const MOST_REASONS = 8;
const OTHERS = "(others)";

/** Counts the traffic of one command. */
export class Traffic {
  readonly #hosts = new Map<string, Entry>();

  /** Returns what to call when the connection has ended. */
  open(host: string, meter: HostMeter): () => void {
    const entry = this.#entry(host);
    entry.connections++;
    entry.open.add(meter);
    return () => {
      if (!entry.open.delete(meter)) return;
      entry.out += meter.out();
      entry.in += meter.in();
    };
  }

  refuse(host: string, reason: string): void {
    const { refused } = this.#entry(host);
    if (refused.size < MOST_REASONS) refused.add(reason);
  }

  report(): HostTraffic[] {
    return [...this.#hosts].map(([host, entry]) => {
      const open = [...entry.open];
      return {
        host,
        connections: entry.connections,
        bytes_out: open.reduce((sum, meter) => sum + meter.out(), entry.out),
        bytes_in: open.reduce((sum, meter) => sum + meter.in(), entry.in),
        refused: [...entry.refused],
      };
    });
  }

  #entry(host: string): Entry {
    const name = this.#hosts.has(host) || this.#hosts.size < MOST_HOSTS ? host : OTHERS;
    const known = this.#hosts.get(name);
    if (known !== undefined) return known;
    const entry: Entry = { connections: 0, out: 0, in: 0, open: new Set(), refused: new Set() };
    this.#hosts.set(name, entry);
    return entry;
  }
}
