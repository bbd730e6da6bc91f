import type { Demo } from "@slipway/protocols/demo/demo";
import { protocolNamed } from "@slipway/protocols/protocols";

/** The first demo of a protocol. */
export async function demoOf(protocol: string): Promise<Demo> {
  const [entry] = protocolNamed(protocol).demos ?? [];
  if (entry === undefined) throw new Error(`${protocol} has no demo`);
  return entry.load();
}
