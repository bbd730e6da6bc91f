import { DEFAULT_PROTOCOL, protocolNamed } from "@slipway/protocols/protocols";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { namesSpecifications } from "@slipway/protocols/surface/named-specs";

/**
 * `slipway run --protocol NAME …` is `slipway NAME …`. With specifications and a protocol that makes one change, each specification becomes
 * a change that this protocol makes.
 */
export const run: RunCommand = async (args, surface) => {
  const entry = protocolNamed(args.text("protocol") ?? DEFAULT_PROTOCOL);
  const { startProtocol, startSpecifications } = await import("@slipway/protocols/surface/start-protocol");
  return entry.inner !== undefined && (await namesSpecifications(args, surface))
    ? startSpecifications(protocolNamed(DEFAULT_PROTOCOL), entry, args, surface)
    : startProtocol(entry, args, surface);
};
