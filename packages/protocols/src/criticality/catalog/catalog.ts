import type { ComplexityReading } from "@slipway/languages/analysis/complexity";
import type { DetectedSmell } from "@slipway/languages/analysis/smells";
import type { LanguageId } from "@slipway/languages/adapter";
import type { RiskLevel, TransformCheck } from "./risk.ts";
import type { GuardCheck, SmellCategory } from "./schema.ts";

export interface SmellDefinition {
  readonly id: string;
  readonly name: string;
  readonly category: SmellCategory;
  readonly description: string;
  readonly detection: {
    readonly thresholds: Readonly<Record<string, number>>;
    readonly tools: readonly { readonly name: string; readonly rule: string }[];
    readonly heuristics: readonly string[];
  };
  readonly applicablePatterns: readonly { readonly patternId: string; readonly risk: RiskLevel; readonly rationale: string }[];
}

export interface PatternDefinition {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly risk: RiskLevel;
  readonly riskRationale: string;
  /** Null for all languages. */
  readonly languages: readonly LanguageId[] | null;
  readonly verification: readonly TransformCheck[];
  readonly guards: readonly string[];
  readonly checks: readonly GuardCheck[];
  /** Patterns that this one makes possible. */
  readonly enables: readonly string[];
  readonly prompt: { readonly template: string };
}

/** A smell with its weight: how far the measured value exceeds the threshold. */
export interface RatedSmell {
  readonly smellId: string;
  readonly severity: number;
}

export interface FunctionContext {
  readonly functionId: string;
  readonly language: LanguageId;
  readonly currentMetrics: ComplexityReading;
  /** Patterns that were tried on this function, whether accepted or not. */
  readonly previouslyAttempted: readonly string[];
}

/** A pattern to try, for the smell that made it a candidate. */
export interface TransformationType {
  readonly patternId: string;
  readonly smell: string;
  readonly risk: RiskLevel;
  readonly prompt: string;
}

export interface TransformationCatalog {
  getSmell(id: string): SmellDefinition | null;
  getPattern(id: string): PatternDefinition | null;
  getSmellsByCategory(category: SmellCategory): SmellDefinition[];
  patternIds(): string[];
  /** Smells of the catalog among those that an analyser reports. A measured value counts only above the threshold. */
  rate(detected: readonly DetectedSmell[]): RatedSmell[];
  /** What to try, lowest risk first. */
  selectPatterns(detectedSmells: readonly RatedSmell[], functionContext: FunctionContext): TransformationType[];
}

export function openCatalog(smells: readonly SmellDefinition[], patterns: readonly PatternDefinition[]): TransformationCatalog {
  const smellById = new Map(smells.map((smell) => [smell.id, smell]));
  const patternById = new Map(patterns.map((pattern) => [pattern.id, pattern]));
  return {
    getSmell: (id) => smellById.get(id) ?? null,
    getPattern: (id) => patternById.get(id) ?? null,
    getSmellsByCategory: (category) => smells.filter((smell) => smell.category === category),
    patternIds: () => patterns.map(({ id }) => id),
    rate: (detected) => detected.flatMap((found) => rated(found, smellById.get(found.id))),
    selectPatterns: (detected, context) => selectPatterns(detected, context, smellById, patternById),
  };
}

function rated({ id, measured }: DetectedSmell, smell: SmellDefinition | undefined): RatedSmell[] {
  if (smell === undefined) return [];
  const [threshold] = Object.values(smell.detection.thresholds);
  if (threshold === undefined || measured === null) return [{ smellId: id, severity: 1 }];
  if (measured <= threshold) return [];
  return [{ smellId: id, severity: measured / Math.max(1, threshold) }];
}

interface Candidate extends TransformationType {
  readonly severity: number;
  readonly enables: number;
}

function selectPatterns(
  detected: readonly RatedSmell[],
  { previouslyAttempted, language }: FunctionContext,
  smells: ReadonlyMap<string, SmellDefinition>,
  patterns: ReadonlyMap<string, PatternDefinition>,
): TransformationType[] {
  const best = new Map<string, Candidate>();
  for (const { smellId, severity } of detected)
    for (const { patternId, risk } of smells.get(smellId)?.applicablePatterns ?? []) {
      const pattern = patterns.get(patternId);
      if (pattern === undefined || previouslyAttempted.includes(patternId)) continue;
      if (pattern.languages !== null && !pattern.languages.includes(language)) continue;
      const known = best.get(patternId);
      if (known !== undefined && known.severity >= severity) continue;
      // A Map keeps the place of the first entry, so ties stay in the order of collection.
      best.set(patternId, { patternId, smell: smellId, risk, prompt: pattern.prompt.template, severity, enables: pattern.enables.length });
    }
  return [...best.values()]
    .toSorted((a, b) => a.risk - b.risk || b.enables - a.enables)
    .map(({ patternId, smell, risk, prompt }) => ({ patternId, smell, risk, prompt }));
}
