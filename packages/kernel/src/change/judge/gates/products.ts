import { readdirSync } from "node:fs";
import { SlipwayError } from "../../../schema/errors.ts";
import { copyTree, type Copied } from "../../../host/files/copy-tree.ts";
import { removeBeneath } from "../../../host/files/remove-tree.ts";
import { GATES_FILE } from "../../../config/gates.ts";

/** A path of `produces` in gates.yaml, copied from a step. */
export interface Product extends Copied {
  readonly path: string;
}

const LIMITS = { bytes: 1024 ** 3, entries: 200_000 };

/** Copies the step's output at the path, without tracked files. */
export function takeProduct(written: string, products: string, path: string, isTracked: (path: string) => boolean): Product {
  if (isTracked(path)) {
    throw new SlipwayError("config_invalid", `${GATES_FILE}: produces names ${path}, which is a file of the repository.`, {
      file: GATES_FILE,
      field: "produces",
      suggested_next_actions: ["List only files that the step creates: changes to tracked files are not passed to later steps."],
    });
  }
  removeBeneath(products, path);
  const copied = copyTree(written, products, path, LIMITS, isTracked);
  if (copied !== null && copied.files > 0) return { path, ...copied };
  throw new SlipwayError("gate_failed", `The step did not write ${path}, which ${GATES_FILE} lists under produces.`, {
    file: GATES_FILE,
    field: "produces",
    path,
    suggested_next_actions: [`Run the step by hand to see where it writes, then correct \`produces\` in ${GATES_FILE}.`],
  });
}

/** Copies all products into the tree of the next step. */
export function unpack(products: string, into: string): void {
  for (const name of readdirSync(products)) copyTree(products, into, name, LIMITS);
}
