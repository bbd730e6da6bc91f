import { checkSchema } from "@slipway/kernel/config/violations";
import type { SearchResult } from "@slipway/kernel/code-index/search";
import { refOf } from "@slipway/kernel/code-index/entry";
import { CONCLUSION_OF, reuseReportSchema, type ReuseDecision, type ReuseReport } from "./schema.ts";

/** Who may search the code index, by role. */
export const SEARCHING_ROLES = ["product-owner", "micro-planner", "proposer"] as const;

export function maySearch(role: string): boolean {
  return (SEARCHING_ROLES as readonly string[]).includes(role);
}

export interface DecidedModule {
  readonly module_id: string;
  readonly reuse_decision: ReuseDecision;
  readonly reuse_candidate_refs: readonly string[];
}

export interface ReuseFacts {
  /** Every module version the code index has. */
  readonly known: (ref: string) => boolean;
  /** Those that are so much like this one that nobody makes another without saying why. */
  readonly alike: readonly Alike[];
}

export interface Alike {
  readonly module_ref: string;
  readonly similarity: number;
}

export type CheckedReport =
  | { readonly ok: true; readonly report: ReuseReport }
  | { readonly ok: false; readonly problems: readonly { readonly field: string; readonly message: string }[] };

/** Nothing is made new without a report that holds; and what a report says has to be so. */
export function checkReuse(module: DecidedModule, given: unknown, { known, alike }: ReuseFacts): CheckedReport {
  const checked = checkSchema(reuseReportSchema, given);
  if (!checked.ok) {
    const missing = given === undefined || given === null;
    const need = `${module.module_id} cannot be ${module.reuse_decision} without a valid reuse search report`;
    const problems = checked.violations.map(({ pointer, message }) => ({ field: pointer || "/", message: `${message} (${need})` }));
    return { ok: false, problems: missing ? [{ field: "/", message: need }] : problems };
  }
  const report = checked.value;
  const considered = report.candidates_considered.map(({ module_ref }) => module_ref);
  const wanted = CONCLUSION_OF[module.reuse_decision];
  const problems = [
    ...(report.conclusion === wanted
      ? []
      : [{ field: "/conclusion", message: `is ${report.conclusion}, and the plan says ${module.reuse_decision} for ${module.module_id}` }]),
    ...considered.flatMap((ref, index) =>
      known(ref) ? [] : [{ field: `/candidates_considered/${index}/module_ref`, message: `${ref} is not in the code index` }],
    ),
    ...(report.conclusion === "CREATE_NEW" ? unexplained(module, considered, alike) : reused(module, considered, known)),
  ];
  return problems.length === 0 ? { ok: true, report } : { ok: false, problems };
}

function unexplained({ module_id }: DecidedModule, considered: readonly string[], alike: readonly Alike[]) {
  return alike
    .filter(({ module_ref }) => !considered.includes(module_ref))
    .map(({ module_ref, similarity }) => ({
      field: "/candidates_considered",
      message: `${module_ref} is much like ${module_id} (similarity ${similarity.toFixed(2)}) and is not among them; reuse it, or say why it will not do`,
    }));
}

function reused({ module_id, reuse_candidate_refs }: DecidedModule, considered: readonly string[], known: (ref: string) => boolean) {
  const usable = reuse_candidate_refs.filter((ref) => known(ref) && !considered.includes(ref));
  if (usable.length > 0) return [];
  return [
    { field: "/conclusion", message: `REUSE_EXISTING for ${module_id}, and no candidate of the code index is left that was not rejected` },
  ];
}

/** What of a search for a module's own text is a near duplicate of it; the module's own earlier versions are none. */
export function nearDuplicates(moduleId: string, found: readonly SearchResult[], level: number): Alike[] {
  return found
    .filter(({ module_id, similarity_score }) => module_id !== moduleId && similarity_score >= level)
    .map((entry) => ({ module_ref: refOf(entry), similarity: entry.similarity_score }));
}
