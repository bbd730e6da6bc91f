import { checkSchema } from "@slipway/kernel/schema/violations";
import { CRITERIA } from "./criteria/criteria.ts";
import { deficiency, type Deficiency, type ValidationReport } from "./deficiency.ts";
import { outlineOf } from "./outline.ts";
import { productSpecSchema, type ProductSpec } from "./spec.ts";

/** Everything that is wrong with a draft, whatever it is: by the fourteen criteria, and by the schema where no criterion has said it. */
export function validateSpec(draft: unknown): ValidationReport {
  const outline = outlineOf(draft);
  const told = new Set<string>();
  const found = CRITERIA.flatMap(({ severity, check }) => {
    // One place, one error: a list that is missing need not be told three times.
    const fresh = check(outline).filter(({ path }) => severity === "WARNING" || !told.has(path));
    if (severity === "ERROR") for (const { path } of fresh) remember(told, path);
    return fresh.map((finding) => deficiency(finding, severity));
  });
  const checked = checkSchema(productSpecSchema, draft);
  const formal = checked.ok ? [] : checked.violations.filter(({ pointer }) => pointer === "" || !told.has(pointer));
  const errors = formal.map(({ pointer: path, message }) => deficiency({ path, message }, "ERROR"));
  return { errors: [...of(found, "ERROR"), ...errors], warnings: of(found, "WARNING") };
}

/** The path and all that it is in: whoever has said that a field of an object is missing has said that of the object. */
function remember(told: Set<string>, path: string): void {
  for (let at = path; at !== "" && !told.has(at); at = at.slice(0, at.lastIndexOf("/"))) told.add(at);
}

function of(found: readonly Deficiency[], severity: Deficiency["severity"]): Deficiency[] {
  return found.filter((one) => one.severity === severity);
}

export type Judged =
  | { readonly ok: true; readonly spec: ProductSpec; readonly warnings: readonly Deficiency[] }
  | { readonly ok: false; readonly report: ValidationReport };

/** A spec that may be emitted, with its warnings, or why not. */
export function judgeSpec(draft: unknown): Judged {
  const report = validateSpec(draft);
  if (report.errors.length > 0) return { ok: false, report };
  return { ok: true, spec: productSpecSchema.parse(draft), warnings: report.warnings };
}
