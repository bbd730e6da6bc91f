import { workflow } from "@slipway/durable/ctx";
import { canonicalPath } from "@slipway/kernel/paths/paths";
import { RELAXED } from "../durability.ts";
import { GivenUp } from "../../dispatch/given-up.ts";
import type { RebuildPlan } from "../incremental/plan.ts";
import { askAboutDefect, findDefect } from "./defect.ts";
import { askGate } from "./gate.ts";
import { refine, type Refined } from "./refine.ts";
import { afterRejection, BEFORE, emittedSpec, freshDraft, withMessage, type SpecDraft } from "./spec-draft.ts";
import { productRun, type ProductServices, type ProductRun } from "./product-run.ts";
import { PRODUCT_STEPS } from "../steps.ts";
import { productSpecSchema, type ProductSpec } from "./spec.ts";

/** Pinned by every run that starts. Raise it whenever a step is renamed, added, removed or reordered. */
export const PRODUCT_VERSION = "2";

export interface ProductInput {
  /** The name of the product in questions, transcripts and cassettes. */
  readonly project: string;
  /** Path of the page, relative to the root of the repository; a page outside it is shown as SPEC.md. */
  readonly spec_source: string;
  /** Digest of the page in the object store: the run never reads the file again. */
  readonly spec_digest: string;
  /** The project built from this page before it was edited. */
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

/** Turns a page into a spec that a person has approved, unless a person gives up. */
export const productLoop = workflow<ProductInput, ProductResult, ProductServices>(
  "factory-product",
  PRODUCT_VERSION,
  async (ctx, input, services) => {
    try {
      return await untilApproved(productRun(ctx, services, input.project), input);
    } catch (error) {
      if (error instanceof GivenUp) return { status: "given_up", reason: error.message };
      throw error;
    }
  },
  RELAXED,
);

async function untilApproved(run: ProductRun, { spec_source, spec_digest, previous }: ProductInput): Promise<ProductResult> {
  const { objects } = run.kernel.records;
  const read = async (digest: string) => Buffer.from(await objects.get(digest)).toString();
  const original = await run.ctx.step("read-spec", () => read(spec_digest));
  const named = canonicalPath(spec_source);
  const name = named.ok ? named.path : "SPEC.md";
  const given =
    previous === undefined ? new Map<string, string>() : await run.ctx.step("read-before", () => textsBefore(read, previous)).then(asMap);
  let draft = freshDraft(1, name, original, given);
  let amendments = 0;
  for (;;) {
    const refined: Refined = await refine(run, draft);
    const spec = productSpecSchema.parse(emittedSpec(refined.draft));
    const defect = await findDefect(run, refined.draft, spec);
    if (defect !== null) {
      draft = withMessage(refined.draft, await askAboutDefect(run, refined.draft, spec, defect));
      continue;
    }
    const changes = previous === undefined ? null : await changesIn(run, refined.draft, previous, spec);
    const answer = await askGate(run, { spec, refined, amendments, changes });
    if (answer.decision === "APPROVE") {
      const { artifact_ref, spec_digest: approved } = refined.emitted;
      return { status: "approved", spec, spec_digest: approved, artifact_ref };
    }
    if (answer.decision === "REJECT") {
      draft = afterRejection(refined.draft, name, original, answer.reasons);
      amendments = 0;
    } else {
      draft = withMessage(refined.draft, answer.feedback);
      amendments++;
    }
  }
}

function changesIn(
  { ctx, services }: ProductRun,
  { context, round }: SpecDraft,
  { project_id }: PreviousProject,
  spec: ProductSpec,
): Promise<RebuildPlan> {
  return ctx.step(PRODUCT_STEPS.changes.named(`${context}.${round}`), () => services.rebuildPlan(project_id, spec));
}

/** The draft to continue from: the built spec, and the page it was made from. */
async function textsBefore(
  read: (digest: string) => Promise<string>,
  { page_digest, spec_digest }: PreviousProject,
): Promise<Record<string, string>> {
  return { [BEFORE.page]: await read(page_digest), [BEFORE.spec]: await read(spec_digest) };
}

function asMap(texts: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(texts));
}
