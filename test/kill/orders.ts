import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { ActorRole } from "@slipway/kernel/config/rbac";
import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import type { Io } from "@slipway/protocols/surface/io";

/** For a process that drives a flow to its end, and on request dies at the first point where no process has died before. */
export interface Orders {
  readonly folder: string;
  readonly env: Record<string, string>;
  readonly specs: readonly string[];
  /** The protocol whose demo it is, for a program that can drive several. */
  readonly protocol?: string;
  /** The second request of that demo instead of the first. */
  readonly second?: boolean;
  /** One line per event, over all processes. */
  readonly log: string;
  /** Points where a process has already died; null: do not die. */
  readonly deaths: string | null;
  /** The share of the points to die at. */
  readonly share: number;
  /** Prefers points that match this expression. */
  readonly focus?: { readonly on: string; readonly share: number };
  /** For a server: the role whose calls it answers. */
  readonly role?: ActorRole;
}

export function underOrders() {
  const orders = JSON.parse(process.argv[2] ?? "") as Orders;
  const died = new Set(orders.deaths !== null && existsSync(orders.deaths) ? readFileSync(orders.deaths, "utf8").split("\n") : []);
  const note = (line: string) => appendFileSync(orders.log, `${line}\n`);

  function point(label: string): void {
    note(label);
    if (orders.deaths === null || died.has(label) || !chosen(label, shareAt(label, orders))) return;
    appendFileSync(orders.deaths, `${label}\n`);
    process.kill(process.pid, "SIGKILL");
  }

  return { orders, point, note };
}

function shareAt(label: string, { share, focus }: Orders): number {
  return focus !== undefined && new RegExp(focus.on).test(label) ? focus.share : share;
}

function chosen(label: string, share: number): boolean {
  return createHash("sha256").update(label).digest().readUInt32BE(0) / 2 ** 32 < share;
}

const silent = () => undefined;

export function quietIo(cwd: string, env: Readonly<Record<string, string>>): Io {
  return {
    cwd,
    env,
    terminal: false,
    interactive: false,
    trusts: trustAnything,
    color: false,
    columns: 100,
    rows: 24,
    out: silent,
    err: silent,
    bytes: silent,
  };
}
