import type { LanguageId } from "../adapter.ts";
import { WITNESS_LEVELS, type WitnessLevel } from "./definition.ts";

export const TYPE_FEATURES = ["phantom types", "branded types", "newtype", "const generics", "marker traits"] as const;
export type TypeFeature = (typeof TYPE_FEATURES)[number];

/** How far a language has a feature of its type system. Languages that are not listed were not examined. */
export const CAPABILITIES = {
  rust: {
    "phantom types": "full",
    "branded types": "via newtype",
    newtype: "full",
    "const generics": "full",
    "marker traits": "full",
  },
  typescript: {
    "phantom types": "via brands",
    "branded types": "full",
    newtype: "n/a",
    "const generics": "no",
    "marker traits": "via interfaces",
  },
  python: {
    "phantom types": "no",
    "branded types": "via NewType",
    newtype: "no",
    "const generics": "no",
    "marker traits": "via Protocol",
  },
  go: {
    "phantom types": "no",
    "branded types": "via type def",
    newtype: "full",
    "const generics": "no",
    "marker traits": "via interfaces",
  },
  java: {
    "phantom types": "limited",
    "branded types": "via wrapper",
    newtype: "full",
    "const generics": "no",
    "marker traits": "full",
  },
} as const satisfies Partial<Record<LanguageId, Record<TypeFeature, string>>>;

export type Capability = (typeof CAPABILITIES)[keyof typeof CAPABILITIES][TypeFeature];

/** Null if the matrix has no row for the language. */
export function capability(language: LanguageId, feature: TypeFeature): Capability | null {
  return language in CAPABILITIES ? CAPABILITIES[language as keyof typeof CAPABILITIES][feature] : null;
}

/** The level of a witness unless something is known about its invariants. */
export const DEFAULT_LEVEL: Readonly<Record<LanguageId, WitnessLevel>> = {
  rust: "distinction",
  typescript: "distinction",
  python: "runtime",
  go: "runtime",
  java: "runtime",
  cpp: "distinction",
};

/** Rust proves an invariant where the states of a value are types of their own. */
export function defaultLevel(language: LanguageId, { typestate = false }: { readonly typestate?: boolean } = {}): WitnessLevel {
  return language === "rust" && typestate ? "proof" : DEFAULT_LEVEL[language];
}

export const TIER_OF_LEVEL: Readonly<Record<WitnessLevel, 1 | 2 | 3 | 4>> = { proof: 1, distinction: 2, runtime: 3, doc: 4 };

/** The wanted level, or the next lower one at which the invariant can be expressed. A comment can express every invariant. */
export function degrade(wanted: WitnessLevel, canExpress: (level: WitnessLevel) => boolean): WitnessLevel {
  return WITNESS_LEVELS.slice(WITNESS_LEVELS.indexOf(wanted)).find((level) => level === "doc" || canExpress(level)) ?? "doc";
}

/** The level of a witness is that of its weakest invariant; without invariants, its own. */
export function weakestLevel(levels: readonly WitnessLevel[], own: WitnessLevel): WitnessLevel {
  return WITNESS_LEVELS[Math.max(WITNESS_LEVELS.indexOf(own), ...levels.map((level) => WITNESS_LEVELS.indexOf(level)))] ?? "doc";
}
