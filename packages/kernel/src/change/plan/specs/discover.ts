import { lstat, readdir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { SlipwayError } from "../../../schema/errors.ts";
import type { Layout } from "../../../host/layout.ts";
import { FEATURE_ID_PATTERN } from "../schema.ts";
import { readSpec, type Spec } from "./read.ts";

export interface DiscoveredSpec {
  readonly feature_id: string;
  /** Relative to the root of the repository. */
  readonly spec_path: string;
}

/** Every `.slipway/features/<id>/spec.md`, by id. Ignores folders whose name is not a feature id. */
export async function discoverSpecs(layout: Layout): Promise<DiscoveredSpec[]> {
  const names = (await readdir(layout.features).catch(() => [])).filter((name) => FEATURE_ID_PATTERN.test(name));
  const present = await Promise.all(names.map((name) => isRegularSpec(layout, name)));
  return names
    .filter((_, index) => present[index] === true)
    .map((feature_id) => ({ feature_id, spec_path: specPath(layout, feature_id) }))
    .toSorted((left, right) => (left.feature_id < right.feature_id ? -1 : 1));
}

/** The specification in a feature's own folder. */
export async function readCanonicalSpec(layout: Layout, id: string): Promise<Spec> {
  if (!FEATURE_ID_PATTERN.test(id)) {
    throw new SlipwayError("invalid_feature_slug", `${JSON.stringify(id)} is not a valid feature id.`, {
      feature_id: id,
      suggested_next_actions: ["Use small letters, digits, _ and -, for example `search_index`."],
    });
  }
  const path = specPath(layout, id);
  if ((await isRegularSpec(layout, id)) === false) {
    throw new SlipwayError(
      "spec_ingest_failed",
      `${path} is not a regular file. Slipway reads only a regular file in the feature's folder.`,
      {
        file: path,
        suggested_next_actions: ["Put the specification itself at that path."],
      },
    );
  }
  return { id, path, bytes: await readSpec(layout.root, path) };
}

/** Whether both are a real folder and a real file; null if one is missing. Following a link could expose any file of the machine. */
async function isRegularSpec(layout: Layout, id: string): Promise<boolean | null> {
  const stats = await Promise.all([layout.feature(id), join(layout.feature(id), "spec.md")].map((path) => lstat(path).catch(() => null)));
  const [folder = null, file = null] = stats;
  return folder === null || file === null ? null : folder.isDirectory() && file.isFile();
}

function specPath(layout: Layout, id: string): string {
  return relative(layout.root, join(layout.feature(id), "spec.md"))
    .split(sep)
    .join("/");
}
