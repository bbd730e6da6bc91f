import { join } from "node:path";
import { featureOf } from "./contest.ts";
import { ourEnvironment } from "./our-tools.ts";
import { connect } from "./round-trip.ts";
import { median, timed } from "./statistics.ts";

const CLI = join(import.meta.dirname, "..", "..", "..", "packages", "cli", "bin", "slipway.mjs");
const EMPTY = join(import.meta.dirname, "empty-server.ts");
const WARM_UP = 300;
const CALLS = 400;

export interface RoundTrips {
  readonly ours: number;
  readonly empty: number;
}

/** A read tool of `slipway mcp` and a tool that does nothing, alternating. */
export async function benchMcp(root: string): Promise<RoundTrips> {
  const env = ourEnvironment(root);
  const slipway = await connect([CLI, "mcp"], root, env);
  const floor = await connect(["--disable-warning=ExperimentalWarning", EMPTY], root, env);
  const state = { feature_id: featureOf(5), actor_type: "orchestrator", actor_id: "bench" };
  const times = { ours: [] as number[], empty: [] as number[] };
  for (let call = -WARM_UP; call < CALLS; call++) {
    const ours = await timed(() => slipway.call("feature.state_get", state));
    const empty = await timed(() => floor.call("empty", {}));
    if (call < 0) continue;
    times.ours.push(ours);
    times.empty.push(empty);
  }
  await slipway.close();
  await floor.close();
  return { ours: median(times.ours), empty: median(times.empty) };
}
