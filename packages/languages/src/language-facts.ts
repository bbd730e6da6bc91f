import type { LanguageAdapter, LanguageId, MissingTool } from "./adapter.ts";
import { languageAdapter } from "./adapters.ts";
import { CLAIM_TYPES, type ClaimType } from "./property-tests/claim.ts";
import { CLAIM_FRAMEWORKS, CLAIM_TEST_KINDS } from "./property-tests/frameworks.ts";
import { TEMPLATE_FRAMEWORKS, withoutTemplate } from "./toolchains/frameworks.ts";
import { programsOf, type LanguageMachine } from "./toolchains/machine.ts";
import { SCANNERS } from "./toolchains/scanners.ts";
import type { WitnessLevel } from "./witnesses/definition.ts";
import { capability, DEFAULT_LEVEL, TIER_OF_LEVEL, TYPE_FEATURES, type Capability, type TypeFeature } from "./witnesses/levels.ts";

/** What a target language offers, and what of its tools this machine has. */
export interface LanguageFacts extends Pick<LanguageAdapter, "id" | "title" | "support"> {
  readonly missing: readonly MissingTool[];
  readonly scanners: readonly (Pick<MissingTool, "tool" | "install"> & { readonly installed: boolean })[];
  /** The usual level of a witness. */
  readonly witness: { readonly level: WitnessLevel; readonly tier: number };
  /** Without a row in the capability matrix: empty. */
  readonly type_system: Readonly<Partial<Record<TypeFeature, Capability>>>;
  readonly claims: readonly ClaimTestFacts[];
}

export interface ClaimTestFacts {
  readonly type: ClaimType;
  /** The kind of test. */
  readonly test: string;
  readonly framework: string;
  /** Why no such test is made; null if one is. */
  readonly missing: string | null;
}

export async function languageFacts(id: LanguageId, machine: LanguageMachine): Promise<LanguageFacts> {
  const adapter = await languageAdapter(id, machine);
  const programs = await programsOf(machine);
  const level = DEFAULT_LEVEL[id];
  const features = TYPE_FEATURES.flatMap((feature) => {
    const found = capability(id, feature);
    return found === null ? [] : [[feature, found] as const];
  });
  return {
    id,
    title: adapter.title,
    support: adapter.support,
    missing: await adapter.missingTools(),
    scanners: (SCANNERS[id] ?? []).map(({ tool, install, program }) => ({ tool, install, installed: programs.find(program) !== null })),
    witness: { level, tier: TIER_OF_LEVEL[level] },
    type_system: Object.fromEntries(features),
    claims: CLAIM_TYPES.map((type) => ({ type, test: CLAIM_TEST_KINDS[type], ...frameworkOf(id, type) })),
  };
}

function frameworkOf(id: LanguageId, type: ClaimType): Pick<ClaimTestFacts, "framework" | "missing"> {
  if (id === "typescript") return { framework: CLAIM_FRAMEWORKS.typescript[type], missing: null };
  return { framework: TEMPLATE_FRAMEWORKS[id][type], missing: withoutTemplate(id, type) };
}
