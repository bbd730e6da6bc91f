import { checkSchema } from "@slipway/kernel/schema/violations";
import { CRITERIA } from "./criteria/criteria.ts";
import { deficiency, type Deficiency, type ValidationReport } from "./deficiency.ts";
import { outlineOf } from "./outline.ts";
import { productSpecSchema, type ProductSpec } from "./spec.ts";

/** All errors and warnings of a draft: by the fourteen criteria, and by the schema where no criterion reported it. */
export function validateSpec(draft: unknown): ValidationReport {
  const outline = outlineOf(draft);
  const reported = new Set<string>();
  const found = CRITERIA.flatMap(({ severity, check }) => {
    // One error per path: a missing list is not reported three times.
    const fresh = check(outline).filter(({ path }) => severity === "WARNING" || !reported.has(path));
    if (severity === "ERROR") for (const { path } of fresh) remember(reported, path);
    return fresh.map((finding) => deficiency(finding, severity));
  });
  const checked = checkSchema(productSpecSchema, draft);
  const formal = checked.ok ? [] : checked.violations.filter(({ pointer }) => pointer === "" || !reported.has(pointer));
  const errors = formal.map(({ pointer: path, message }) => deficiency({ path, message }, "ERROR"));
  return { errors: [...of(found, "ERROR"), ...errors], warnings: of(found, "WARNING") };
}

/** Adds the path and its parents: an error about a field covers the object around it. */
function remember(reported: Set<string>, path: string): void {
  for (let at = path; at !== "" && !reported.has(at); at = at.slice(0, at.lastIndexOf("/"))) reported.add(at);
}

function of(found: readonly Deficiency[], severity: Deficiency["severity"]): Deficiency[] {
  return found.filter((one) => one.severity === severity);
}

export type Judged =
  | { readonly ok: true; readonly spec: ProductSpec; readonly warnings: readonly Deficiency[] }
  | { readonly ok: false; readonly report: ValidationReport };

/** A spec that may be emitted, with its warnings, or its errors. */
export function judgeSpec(draft: unknown): Judged {
  const report = validateSpec(draft);
  if (report.errors.length > 0) return { ok: false, report };
  return { ok: true, spec: productSpecSchema.parse(draft), warnings: report.warnings };
}
