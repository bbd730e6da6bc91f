import { join } from "node:path";
import type { PublishedPackage } from "./unpack-package.ts";

/** The data of a demo: project files, specifications and recorded answers, optionally on top of a published package. */
export interface DemoBundle {
  /** Holds project/, specs/ and cassette/. */
  readonly folder: string;
  readonly published: PublishedPackage | null;
  readonly commitMessage: string;
  /** Describes the gates, for the record of a machine without a sandbox. */
  readonly gates: string;
  /** The feature the closing lines suggest to look at. */
  readonly lookAt: string;
}

export function cassetteOf({ folder }: Pick<DemoBundle, "folder">): string {
  return join(folder, "cassette");
}

const PACKAGE = join(import.meta.dirname, "..", "..");

export const SHOP: DemoBundle = {
  folder: join(PACKAGE, "demo"),
  published: null,
  commitMessage: "Corner shop",
  gates: "its own bundled gates",
  lookAt: "stock_rules",
};

const PROCESS_WARNING: PublishedPackage = {
  name: "process-warning",
  version: "5.1.1",
  license: "MIT",
  integrity: "sha512-oCkNVj4OKnKEcocVBcDfiIugN1/cE6rgfT3nCtzeqZPA8+rIxMaQ0xXzIkGP8Gj2qUaP1UR7uhJ1VD8lUCpzCg==",
};

export const REAL: DemoBundle = {
  folder: join(PACKAGE, "demo-real"),
  published: PROCESS_WARNING,
  commitMessage: "process-warning 5.1.1, as published",
  gates: "the tests of process-warning 5.1.1, whose bytes are pinned",
  lookAt: "falsy_values",
};

/** From a page to a release: the page is one of the project's files. */
export const HOURS = {
  folder: join(PACKAGE, "demo-factory"),
  published: null,
  commitMessage: "Opening hours: what we want",
  gates: "its own bundled gates and the tests of the modules that its cassette holds",
} as const;
