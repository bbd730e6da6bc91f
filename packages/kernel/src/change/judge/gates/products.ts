import { readdirSync } from "node:fs";
import { SlipwayError } from "@slipway/durable/errors";
import { copyTree, type Copied } from "../../../host/files/copy-tree.ts";
import { removeBeneath } from "../../../host/files/remove-tree.ts";
import { GATES_FILE } from "../../../config/gates.ts";

/** What a step handed on under a name that gates.yaml gives it. */
export interface Product extends Copied {
  readonly path: string;
}

const LIMITS = { bytes: 1024 ** 3, entries: 200_000 };

/** Takes a copy of what the step has left at the path, without any file of the tree. */
export function handOn(written: string, products: string, path: string, isTracked: (path: string) => boolean): Product {
  if (isTracked(path)) {
    throw new SlipwayError("config_invalid", `${GATES_FILE}: produces names ${path}, which is a file of the repository.`, {
      file: GATES_FILE,
      field: "produces",
      suggested_next_actions: ["Name what the step makes: a step never finds a file of the tree changed by an earlier one."],
    });
  }
  removeBeneath(products, path);
  const copied = copyTree(written, products, path, LIMITS, isTracked);
  if (copied !== null && copied.files > 0) return { path, ...copied };
  throw new SlipwayError("gate_failed", `The step left nothing at ${path}, which ${GATES_FILE} says it produces.`, {
    file: GATES_FILE,
    field: "produces",
    path,
    suggested_next_actions: [`Run the step by hand and look where it writes, then correct \`produces\` in ${GATES_FILE}.`],
  });
}

/** Lays everything that was handed on out for the next step. */
export function unpack(products: string, into: string): void {
  for (const name of readdirSync(products)) copyTree(products, into, name, LIMITS);
}
