import { DEFAULT_PROTOCOL, protocolNamed } from "@slipway/protocols/protocols";
import type { RunCommand } from "@slipway/protocols/surface/command";

/** `slipway run --protocol NAME …` is `slipway NAME …`. */
export const run: RunCommand = async (args, surface) => {
  const entry = protocolNamed(args.text("protocol") ?? DEFAULT_PROTOCOL);
  return (await import("@slipway/protocols/surface/start-protocol")).startProtocol(entry, args, surface);
};
