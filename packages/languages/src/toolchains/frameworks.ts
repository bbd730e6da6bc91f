import type { ClaimType } from "../property-tests/claim.ts";
import { CLAIM_FRAMEWORKS } from "../property-tests/frameworks.ts";
import type { GrammarId } from "../tree-sitter/grammars.ts";

type Frameworks = Readonly<Record<ClaimType, string>>;

/** The frameworks that the templates use. docs/decisions/0055 says why Go and Java have no library of their own for properties. */
export const TEMPLATE_FRAMEWORKS: Readonly<Record<GrammarId, Frameworks>> = {
  python: CLAIM_FRAMEWORKS.python,
  rust: CLAIM_FRAMEWORKS.rust,
  go: { ...CLAIM_FRAMEWORKS.go, invariant: "testing/quick", negative: "testing with recover" },
  java: {
    invariant: "a seeded generator",
    behavioral: "a test program",
    negative: "a test program that expects an exception",
    temporal: "a fixed java.time.Clock",
    concurrent: "jcstress",
    performance: "JMH",
  },
  cpp: {
    invariant: "rapidcheck",
    behavioral: "a test program",
    negative: "a test program that expects an exception",
    temporal: "a clock that is passed in",
    concurrent: "ThreadSanitizer",
    performance: "Google Benchmark",
  },
};

const WITH_TEMPLATE: ReadonlySet<ClaimType> = new Set(["invariant", "behavioral", "negative"]);

/** Why no test is made of a type of claim; null if one is. */
export function withoutTemplate(language: GrammarId, type: ClaimType): string | null {
  if (WITH_TEMPLATE.has(type)) return null;
  return `a test of this claim needs ${TEMPLATE_FRAMEWORKS[language][type]}, for which there is no template`;
}
