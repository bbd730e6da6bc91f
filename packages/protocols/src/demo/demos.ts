import { SlipwayError } from "@slipway/agents/errors";
import type { ProtocolEntry } from "../protocol.ts";
import { DEFAULT_PROTOCOL, PROTOCOLS } from "../protocols.ts";
import type { DemoEntry } from "./demo.ts";

export interface OfferedDemo {
  readonly protocol: ProtocolEntry;
  readonly entry: DemoEntry;
}

/** The demos of every protocol. */
export const DEMOS: readonly OfferedDemo[] = PROTOCOLS.flatMap((protocol) => (protocol.demos ?? []).map((entry) => ({ protocol, entry })));

/** Without a name: the demo that is called like the default protocol. */
export function demoNamed(name = DEFAULT_PROTOCOL): OfferedDemo {
  const demo = DEMOS.find(({ entry }) => entry.name === name);
  if (demo !== undefined) return demo;
  throw new SlipwayError("invalid_cli_args", `There is no \`slipway demo ${name}\`.`, {
    suggested_next_actions: [`Name one of ${DEMOS.map(({ entry }) => entry.name).join(", ")}.`, "slipway demo --help"],
  });
}
