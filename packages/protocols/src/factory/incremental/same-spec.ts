import type { Ctx } from "@slipway/durable/ctx";
import type { PreviousProject, ProductResult } from "../product/loop.ts";
import { productSpecSchema } from "../product/spec.ts";
import { PROJECT_STEPS } from "../steps.ts";
import type { FactoryServices } from "../services.ts";

/** For an unchanged page: reuses the approved spec without asking again. The step `changes` reports what will run. */
export async function sameSpec(
  ctx: Ctx,
  { kernel, rebuildPlan }: Pick<FactoryServices, "kernel" | "rebuildPlan">,
  { project_id, spec_digest }: PreviousProject,
): Promise<Pick<Extract<ProductResult, { status: "approved" }>, "status" | "spec" | "spec_digest">> {
  const { objects } = kernel.records;
  const spec = await ctx.step("same-spec", async () =>
    productSpecSchema.parse(JSON.parse(Buffer.from(await objects.get(spec_digest)).toString())),
  );
  await ctx.step(PROJECT_STEPS.changes.named(), () => rebuildPlan(project_id, spec));
  return { status: "approved", spec, spec_digest };
}
