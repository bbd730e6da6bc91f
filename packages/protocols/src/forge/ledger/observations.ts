import { harnessChecks } from "@slipway/kernel/change/judge/evidence/checks";
import type { ReadObservations } from "./write.ts";

/** The kernel's own rows of evidence with these ids. Ids without a row are missing from the answer. */
export const observationsOf: ReadObservations = (tx, ids) => harnessChecks(tx, ids);
