import { workflow } from "@slipway/durable/ctx";
import { canonicalPath } from "@slipway/kernel/plans/paths";
import { GivenUp } from "../../given-up.ts";
import { askGate } from "./gate.ts";
import { refine, type Refined } from "./refine.ts";
import { afterRejection, emittedSpec, freshSheet, withMessage } from "./sheet.ts";
import { productSite, type ProductShop, type ProductSite } from "./site.ts";
import { productSpecSchema, type ProductSpec } from "./spec.ts";

/** Pinned by every run that starts. Raise it whenever a step is renamed, added, removed or reordered. */
export const PRODUCT_VERSION = "1";

export interface ProductInput {
  /** What the product is called in questions, transcripts and cassettes. */
  readonly project: string;
  /** The file the person wrote, from the root of the repository; one outside is shown as SPEC.md. */
  readonly spec_source: string;
  /** Digest of its text in the object store: the run never reads the person's file again. */
  readonly spec_digest: string;
}

export type ProductResult =
  | { readonly status: "approved"; readonly spec: ProductSpec; readonly spec_digest: string; readonly artifact_ref: string }
  | { readonly status: "given_up"; readonly reason: string };

/** From a person's page to a spec that a person has approved, or to nothing. */
export const productLoop = workflow<ProductInput, ProductResult, ProductShop>(
  "factory-product",
  PRODUCT_VERSION,
  async (ctx, input, shop) => {
    try {
      return await untilApproved(productSite(ctx, shop, input.project), input);
    } catch (error) {
      if (error instanceof GivenUp) return { status: "given_up", reason: error.message };
      throw error;
    }
  },
);

async function untilApproved(site: ProductSite, { spec_source, spec_digest }: ProductInput): Promise<ProductResult> {
  const { objects } = site.kernel.records;
  const original = await site.ctx.step("read-spec", async () => Buffer.from(await objects.get(spec_digest)).toString());
  const named = canonicalPath(spec_source);
  const name = named.ok ? named.path : "SPEC.md";
  let sheet = freshSheet(1, name, original);
  let amendments = 0;
  for (;;) {
    const refined: Refined = await refine(site, sheet);
    const spec = productSpecSchema.parse(emittedSpec(refined.sheet));
    const answer = await askGate(site, spec, refined, amendments);
    if (answer.decision === "APPROVE") {
      const { artifact_ref, spec_digest: approved } = refined.emitted;
      return { status: "approved", spec, spec_digest: approved, artifact_ref };
    }
    if (answer.decision === "REJECT") {
      sheet = afterRejection(refined.sheet, name, original, answer.reasons);
      amendments = 0;
    } else {
      sheet = withMessage(refined.sheet, answer.feedback);
      amendments++;
    }
  }
}
