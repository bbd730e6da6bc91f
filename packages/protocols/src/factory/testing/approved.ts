import { PARTS } from "./numbers.ts";
import { openWorks, type Parts, type Works, type WorksOptions } from "./works.ts";

/** Starts a run, approves its spec, and drives it from there. */
export async function approved(
  parts: Parts = {},
  options: WorksOptions = {},
): Promise<{ readonly works: Works; readonly outcome: Awaited<ReturnType<Works["drive"]>> }> {
  const works = await openWorks({ ...PARTS, ...parts }, options);
  await works.drive();
  await works.answer({ decision: "APPROVE" });
  return { works, outcome: await works.drive() };
}
