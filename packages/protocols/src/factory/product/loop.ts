import { workflow } from "@slipway/durable/ctx";
import { canonicalPath } from "@slipway/kernel/paths/paths";
import { RELAXED } from "../durability.ts";
import { GivenUp } from "../../given-up.ts";
import type { RebuildPlan } from "../incremental/plan.ts";
import { askAboutDefect, findDefect } from "./defect.ts";
import { askGate } from "./gate.ts";
import { refine, type Refined } from "./refine.ts";
import { afterRejection, BEFORE, emittedSpec, freshSheet, withMessage, type Sheet } from "./sheet.ts";
import { productSite, type ProductShop, type ProductSite } from "./site.ts";
import { productSpecSchema, type ProductSpec } from "./spec.ts";

/** Pinned by every run that starts. Raise it whenever a step is renamed, added, removed or reordered. */
export const PRODUCT_VERSION = "2";

export interface ProductInput {
  /** What the product is called in questions, transcripts and cassettes. */
  readonly project: string;
  /** The file the person wrote, from the root of the repository; one outside is shown as SPEC.md. */
  readonly spec_source: string;
  /** Digest of its text in the object store: the run never reads the person's file again. */
  readonly spec_digest: string;
  /** What was made from this page before it was edited. */
  readonly previous?: PreviousProject;
}

export interface PreviousProject {
  readonly project_id: string;
  readonly page_digest: string;
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
  RELAXED,
);

async function untilApproved(site: ProductSite, { spec_source, spec_digest, previous }: ProductInput): Promise<ProductResult> {
  const { objects } = site.kernel.records;
  const read = async (digest: string) => Buffer.from(await objects.get(digest)).toString();
  const original = await site.ctx.step("read-spec", () => read(spec_digest));
  const named = canonicalPath(spec_source);
  const name = named.ok ? named.path : "SPEC.md";
  const given =
    previous === undefined ? new Map<string, string>() : await site.ctx.step("read-before", () => textsBefore(read, previous)).then(asMap);
  let sheet = freshSheet(1, name, original, given);
  let amendments = 0;
  for (;;) {
    const refined: Refined = await refine(site, sheet);
    const spec = productSpecSchema.parse(emittedSpec(refined.sheet));
    const defect = await findDefect(site, refined.sheet, spec);
    if (defect !== null) {
      sheet = withMessage(refined.sheet, await askAboutDefect(site, refined.sheet, spec, defect));
      continue;
    }
    const changes = previous === undefined ? null : await changesIn(site, refined.sheet, previous, spec);
    const answer = await askGate(site, { spec, refined, amendments, changes });
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

/** What will run and why. */
function changesIn(
  { ctx, shop }: ProductSite,
  { context, round }: Sheet,
  { project_id }: PreviousProject,
  spec: ProductSpec,
): Promise<RebuildPlan> {
  return ctx.step(`changes:${context}.${round}`, () => shop.rebuildPlan(project_id, spec));
}

/** The draft to go on from: the spec that was built, and the page it was made from. */
async function textsBefore(
  read: (digest: string) => Promise<string>,
  { page_digest, spec_digest }: PreviousProject,
): Promise<Record<string, string>> {
  return { [BEFORE.page]: await read(page_digest), [BEFORE.spec]: await read(spec_digest) };
}

function asMap(texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts));
}
