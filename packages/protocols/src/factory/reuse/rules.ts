import { refOf } from "../code-index/entry.ts";
import type { IndexSearchResult } from "../code-index/search.ts";
import { signatureOf, type ModuleDescription } from "./signature.ts";
import { CONCLUSION_OF, type ModuleReport, type ReuseDecision } from "./schema.ts";

/** Roles that may search the code index. */
export const SEARCHING_ROLES = ["product-owner", "planner", "proposer"] as const;

export function maySearch(role: string): boolean {
  return (SEARCHING_ROLES as readonly string[]).includes(role);
}

export interface DecidedModule {
  readonly module_id: string;
  readonly reuse_decision: ReuseDecision;
  readonly reuse_candidate_refs: readonly string[];
}

/** Looked up by the harness, never taken from the planner. */
export interface ReuseFacts {
  /** The named module versions that are in the code index. */
  readonly known: readonly string[];
  /** Similar results for the report's own query. */
  readonly returned: readonly Similar[];
  /** Near duplicates: a new module needs a reason why these do not serve. */
  readonly alike: readonly Alike[];
}

interface Similar {
  readonly module_ref: string;
  readonly similarity: number;
}

export interface Alike extends Similar {
  readonly same_signature: boolean;
}

interface ReuseProblem {
  readonly field: string;
  readonly message: string;
}

/** Every new module needs a report, and the report must agree with the code index. Fields are those of the report. */
export function reuseProblems(module: DecidedModule, report: ModuleReport, facts: ReuseFacts): ReuseProblem[] {
  const considered = report.candidates_considered.map(({ module_ref }) => module_ref);
  const wanted = CONCLUSION_OF[module.reuse_decision];
  return [
    ...(report.conclusion === wanted
      ? []
      : [
          {
            field: "/conclusion",
            message: `is ${report.conclusion}, and the plan says ${module.reuse_decision} for ${module.module_id}, which needs ${wanted}`,
          },
        ]),
    ...considered.flatMap((ref, index) =>
      facts.known.includes(ref)
        ? []
        : [{ field: `/candidates_considered/${index}/module_ref`, message: `${ref} is not in the code index` }],
    ),
    ...(report.conclusion === "CREATE_NEW" ? unexplained(module, considered, facts) : reused(module, considered, facts)),
  ];
}

function unexplained({ module_id }: DecidedModule, considered: readonly string[], { returned, alike }: ReuseFacts): ReuseProblem[] {
  const field = "/candidates_considered";
  const way = "reuse it, or name it there and say why it will not do";
  const duplicates = new Set(alike.map(({ module_ref }) => module_ref));
  return [
    ...alike
      .filter(({ module_ref }) => !considered.includes(module_ref))
      .map(({ module_ref, similarity, same_signature }) => ({
        field,
        message: `leaves out ${module_ref}, a near duplicate of ${module_id} (similarity ${similarity.toFixed(2)}${same_signature ? ", the same types in and out" : ""}): ${way}`,
      })),
    ...returned
      .filter(({ module_ref }) => !considered.includes(module_ref) && !duplicates.has(module_ref))
      .map(({ module_ref, similarity }) => ({
        field,
        message: `leaves out ${module_ref}, which the code index gives for this query (similarity ${similarity.toFixed(2)}): ${way}`,
      })),
  ];
}

function reused({ module_id, reuse_candidate_refs }: DecidedModule, considered: readonly string[], { known }: ReuseFacts): ReuseProblem[] {
  const usable = reuse_candidate_refs.filter((ref) => known.includes(ref) && !considered.includes(ref));
  if (usable.length > 0) return [];
  return [
    { field: "/conclusion", message: `REUSE_EXISTING for ${module_id}, and no candidate of the code index is left that was not rejected` },
  ];
}

/** Only the first results of a query must be addressed; later ones are seldom relevant. */
const ANSWERED = 5;

/** The results of a search that a report must address. The module's own earlier versions are excluded. */
export function toBeConsidered(moduleId: string, found: readonly IndexSearchResult[], weak: number): Similar[] {
  return found
    .filter(({ module_id, similarity_score }) => module_id !== moduleId && similarity_score >= weak)
    .slice(0, ANSWERED)
    .map((entry) => ({ module_ref: refOf(entry), similarity: entry.similarity_score }));
}

/** Near duplicates among search results: by text alone, or by equal types and half of that similarity (decision 0030). */
export function nearDuplicates(
  module: ModuleDescription & { readonly module_id: string },
  found: readonly IndexSearchResult[],
  { weak, duplicate }: { readonly weak: number; readonly duplicate: number },
): Alike[] {
  const signature = signatureOf(module);
  const halfway = (weak + duplicate) / 2;
  return found.flatMap((entry) => {
    if (entry.module_id === module.module_id) return [];
    const same_signature = signatureOf(entry) === signature;
    const flagged = entry.similarity_score >= (same_signature ? halfway : duplicate);
    return flagged ? [{ module_ref: refOf(entry), similarity: entry.similarity_score, same_signature }] : [];
  });
}
