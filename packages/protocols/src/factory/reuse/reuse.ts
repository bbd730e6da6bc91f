import type { CodeIndex } from "../code-index/code-index.ts";
import { embeddingText, summaryOf } from "../code-index/entry.ts";
import type { SearchAnswer, SearchInput } from "../code-index/search.ts";
import { SlipwayError } from "@slipway/agents/errors";
import type { PlanDraft } from "../engineering/micro-plan.ts";
import { maySearch, nearDuplicates, SEARCHING_ROLES, toBeConsidered, type ReuseFacts } from "./rules.ts";
import type { ModuleDescription } from "./signature.ts";

/** `search_code_index` for a role. */
export async function searchAs(index: Pick<CodeIndex, "search">, role: string, input: SearchInput): Promise<SearchAnswer> {
  if (maySearch(role)) return index.search(input);
  throw new SlipwayError("forbidden_tool_for_role", `search_code_index is not open to the role "${role}".`, {
    role,
    allowed_roles: SEARCHING_ROLES,
    suggested_next_actions: ["Work with what the context pack holds."],
  });
}

type Searched = Pick<CodeIndex, "search" | "find" | "model">;

const LOOKED_AT = 20;

/** What the code index knows now about each module of a plan that has a report. */
export async function reuseFacts(index: Searched, { modules, contracts, reuse_reports }: PlanDraft): Promise<Record<string, ReuseFacts>> {
  const facts: Record<string, ReuseFacts> = {};
  for (const { module_id, query, candidates_considered } of reuse_reports) {
    const module = modules.find((one) => one.module_id === module_id);
    const contract = contracts.find((one) => one.module_id === module_id);
    const named = [...(module?.reuse_candidate_refs ?? []), ...candidates_considered.map(({ module_ref }) => module_ref)];
    const known = await Promise.all(named.map(async (ref) => ((await index.find(ref)) === null ? [] : [ref])));
    const described =
      contract === undefined ? null : { module_id, purpose: contract.purpose, tags: contract.tags, io_summary: summaryOf(contract) };
    facts[module_id] = { known: known.flat(), ...(described === null ? NOTHING_ALIKE : await searchFacts(index, described, query)) };
  }
  return facts;
}

const NOTHING_ALIKE = { returned: [], alike: [] };

async function searchFacts(
  index: Searched,
  module: ModuleDescription & { readonly module_id: string },
  query: string,
): Promise<Omit<ReuseFacts, "known">> {
  const { levels } = index.model;
  const [asked, own] = await Promise.all([query, embeddingText(module)].map((text) => index.search({ query: text, top_k: LOOKED_AT })));
  return {
    returned: toBeConsidered(module.module_id, asked?.results ?? [], levels.weak),
    alike: nearDuplicates(module, own?.results ?? [], levels),
  };
}
