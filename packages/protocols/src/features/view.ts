import { decodePayload } from "@slipway/durable/payload";
import type { InnerProtocol } from "../change/feature-run.ts";
import { viewChanges } from "../change/view.ts";
import type { NarratedStep } from "../narration/step-text.ts";
import type { RunNode } from "../run-view.ts";
import type { Reader } from "../surface/surface.ts";
import type { FeatureInput } from "./schemas.ts";

/** The features of a run; below a feature, what the protocol that makes it shows. */
export async function viewFeatures(
  reader: Reader,
  runId: string,
  inner: ReadonlyMap<string, InnerProtocol>,
  rows: readonly NarratedStep[],
): Promise<RunNode[]> {
  const nodes = await viewChanges(reader, runId, rows);
  const shown = new Set(nodes.map(({ id }) => id));
  const below = (await specsOf(reader, runId)).map(async ({ feature_id, inner: made }) => {
    const protocol = made === undefined ? undefined : inner.get(made.protocol);
    return protocol === undefined || !shown.has(`feature:${feature_id}`) ? [] : protocol.view(reader, { runId, id: feature_id });
  });
  return [...nodes, ...(await Promise.all(below)).flat()];
}

async function specsOf({ engine, records }: Reader, runId: string): Promise<readonly FeatureInput[]> {
  const [started] = await engine.events(runId, 1, 1);
  if (started === undefined) return [];
  const { input } = (await decodePayload(records.objects, started)) as unknown as {
    readonly input: { readonly specs?: readonly FeatureInput[] };
  };
  return input.specs ?? [];
}
