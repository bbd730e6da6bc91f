import type { Ctx } from "@slipway/durable/ctx";
import type { PreviousProject, ProductResult } from "../product/loop.ts";
import { productSpecSchema } from "../product/spec.ts";
import type { FactoryShop } from "../shop.ts";

/** The page is as it was: so is the spec that a person approved, and nobody is asked again. What runs is said before it does. */
export async function sameSpec(
  ctx: Ctx,
  { kernel, rebuildPlan }: Pick<FactoryShop, "kernel" | "rebuildPlan">,
  { project_id, spec_digest }: PreviousProject,
): Promise<Pick<Extract<ProductResult, { status: "approved" }>, "status" | "spec" | "spec_digest">> {
  const { objects } = kernel.records;
  const spec = await ctx.step("same-spec", async () =>
    productSpecSchema.parse(JSON.parse(Buffer.from(await objects.get(spec_digest)).toString())),
  );
  await ctx.step("changes", () => rebuildPlan(project_id, spec));
  return { status: "approved", spec, spec_digest };
}
