import { readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import type { Layout } from "../layout.ts";
import { FEATURE_ID_PATTERN } from "../plans/schema.ts";
import { readSpec, type Spec } from "./read.ts";

export interface DiscoveredSpec {
  readonly feature_id: string;
  /** From the root of the repository. */
  readonly spec_path: string;
}

/** Every `.slipway/features/<id>/spec.md`, by id. A folder whose name is no feature id is none. */
export async function discoverSpecs(layout: Layout): Promise<DiscoveredSpec[]> {
  const names = (await readdir(layout.features).catch(() => [])).filter((name) => FEATURE_ID_PATTERN.test(name));
  const present = await Promise.all(names.map((name) => stat(join(layout.feature(name), "spec.md")).catch(() => null)));
  return names
    .filter((_, index) => present[index]?.isFile() === true)
    .map((feature_id) => ({ feature_id, spec_path: specPath(layout, feature_id) }))
    .toSorted((left, right) => (left.feature_id < right.feature_id ? -1 : 1));
}

/** The specification that stands in a feature's own folder. */
export async function readCanonicalSpec(layout: Layout, id: string): Promise<Spec> {
  if (!FEATURE_ID_PATTERN.test(id)) {
    throw new SlipwayError("invalid_feature_slug", `${JSON.stringify(id)} cannot be a feature id.`, {
      feature_id: id,
      suggested_next_actions: ["Use small letters, digits, _ and -, for example `search_index`."],
    });
  }
  const path = specPath(layout, id);
  return { id, path, bytes: await readSpec(layout.root, path) };
}

function specPath(layout: Layout, id: string): string {
  return relative(layout.root, join(layout.feature(id), "spec.md"))
    .split(sep)
    .join("/");
}
