import { lstat, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { SlipwayError } from "@slipway/durable/errors";
import type { Layout } from "../../../host/layout.ts";
import { FEATURE_ID_PATTERN } from "../schema.ts";
import { readSpec, type Spec } from "./read.ts";

export interface DiscoveredSpec {
  readonly feature_id: string;
  /** From the root of the repository. */
  readonly spec_path: string;
}

/** Every `.slipway/features/<id>/spec.md`, by id. A folder whose name is no feature id is none. */
export async function discoverSpecs(layout: Layout): Promise<DiscoveredSpec[]> {
  const names = (await readdir(layout.features).catch(() => [])).filter((name) => FEATURE_ID_PATTERN.test(name));
  const present = await Promise.all(names.map((name) => standsThere(layout, name)));
  return names
    .filter((_, index) => present[index] === true)
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
  if ((await standsThere(layout, id)) === false) {
    throw new SlipwayError("spec_ingest_failed", `${path} is a link or no file: only a file of its own in the feature's folder is read.`, {
      file: path,
      suggested_next_actions: ["Put the specification itself there."],
    });
  }
  return { id, path, bytes: await readSpec(layout.root, path) };
}

/** A real file in a real folder. Through a link, whoever can write here could have any file of the machine read out. Null: nothing is there. */
async function standsThere(layout: Layout, id: string): Promise<boolean | null> {
  const found = await Promise.all([layout.feature(id), join(layout.feature(id), "spec.md")].map((path) => lstat(path).catch(() => null)));
  const [folder = null, file = null] = found;
  return folder === null || file === null ? null : folder.isDirectory() && file.isFile();
}

function specPath(layout: Layout, id: string): string {
  return relative(layout.root, join(layout.feature(id), "spec.md"))
    .split(sep)
    .join("/");
}
