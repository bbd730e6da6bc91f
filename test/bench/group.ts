// One group of figures, in a fresh process: `group.ts NAME` prints its rows as JSON.
import type { BenchRow } from "@slipway/durable/bench/durable";
import { asOrdinaryUser } from "./as-user.ts";

export const GROUPS = {
  status: async () => (await import("./status.ts")).benchStatus(),
  sandbox: async () => [...(await (await import("@slipway/kernel/host/sandbox/bench")).benchSandbox()), ...asOrdinaryUser("sandbox")],
  gates: async () => (await import("@slipway/kernel/change/judge/gates/bench")).benchGates(),
  large: async () => (await import("./large.ts")).benchLargeRepository(),
  packs: async () => (await import("./packs.ts")).benchPacks(),
  index: async () => (await import("@slipway/protocols/factory/code-index/bench")).benchCodeIndex(),
  projects: async () => (await import("./projects.ts")).benchProjects(),
  factory: async () => (await import("./factory-overhead.ts")).benchFactory(),
  criticality: async () => (await import("./criticality.ts")).benchCriticality(),
  "forge-crew": async () => (await import("./forge-crew.ts")).benchForgeAndCrew(),
  durable: async () => (await import("@slipway/durable/bench/durable")).benchDurable(),
} satisfies Record<string, () => Promise<BenchRow[]>>;

const [name] = process.argv.slice(2);
if (import.meta.main && name !== undefined && name in GROUPS) {
  process.stdout.write(JSON.stringify(await GROUPS[name as keyof typeof GROUPS]()));
  process.exit();
}
