import type { CodeIndex } from "@slipway/kernel/code-index/code-index";
import { embeddingText, type EntryContent } from "@slipway/kernel/code-index/entry";
import type { Found, SearchInput } from "@slipway/kernel/code-index/search";
import { SlipwayError } from "@slipway/durable/errors";
import { checkReuse, maySearch, nearDuplicates, SEARCHING_ROLES, type Alike, type CheckedReport, type DecidedModule } from "./rules.ts";

export type Described = Pick<EntryContent, "purpose" | "tags" | "io_summary">;

/** `search_code_index`, as a role calls it. */
export async function searchAs(index: Pick<CodeIndex, "search">, role: string, input: SearchInput): Promise<Found> {
  if (maySearch(role)) return index.search(input);
  throw new SlipwayError("forbidden_tool_for_role", `search_code_index is not open to the role "${role}".`, {
    role,
    allowed_roles: SEARCHING_ROLES,
    suggested_next_actions: ["Work with what the context pack holds."],
  });
}

const LOOKED_AT = 20;

/** Modules in use that are so much like the described one that making it needs a reason. */
export async function alikeModules(index: Pick<CodeIndex, "search" | "model">, moduleId: string, described: Described): Promise<Alike[]> {
  const { results } = await index.search({ query: embeddingText(described), top_k: LOOKED_AT });
  return nearDuplicates(moduleId, results, index.model.levels.duplicate);
}

/** The gate before CREATE_NEW, with the facts looked up here: a planner's word is not asked for them. */
export async function judgeReuse(
  index: Pick<CodeIndex, "search" | "find" | "model">,
  module: DecidedModule & { readonly described: Described },
  report: unknown,
): Promise<CheckedReport> {
  const named = [...module.reuse_candidate_refs, ...refsIn(report)];
  const entries = await Promise.all(named.map((ref) => index.find(ref)));
  const known = new Set(named.filter((_, at) => entries[at] != null));
  const alike = module.reuse_decision === "CREATE_NEW" ? await alikeModules(index, module.module_id, module.described) : [];
  return checkReuse(module, report, { known: (ref) => known.has(ref), alike });
}

/** Whatever form it has: what is wrong with it is said elsewhere. */
function refsIn(report: unknown): string[] {
  const candidates = (report as { candidates_considered?: unknown } | null | undefined)?.candidates_considered;
  if (!Array.isArray(candidates)) return [];
  return candidates.flatMap((candidate: { module_ref?: unknown } | null) =>
    typeof candidate?.module_ref === "string" ? [candidate.module_ref] : [],
  );
}
