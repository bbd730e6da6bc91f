import { featureIfAny } from "@slipway/kernel/change/feature/store";
import type { Prepared, RunRequest } from "../protocol.ts";
import { freeSlug } from "../change/request-slug.ts";
import type { Starter } from "../surface/surface.ts";
import type { ForgeRequest } from "./protocol.ts";

/** The request's text is stored by digest; its first words become the name of the change. */
export async function prepareForge(starter: Starter, { text, flags = {} }: RunRequest): Promise<Prepared> {
  const request = text ?? "";
  const feature_id = await freeSlug(
    request,
    async (id) => (await featureIfAny(starter.records.database.db, id)) !== undefined,
    starter.kernel,
  );
  const input: ForgeRequest = {
    feature_id,
    spec_digest: await starter.records.objects.put(Buffer.from(request)),
    mode: flags["interactive"] === true ? "interactive" : "autonomous",
  };
  return { input, slug: feature_id };
}
