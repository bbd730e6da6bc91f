import type { GrammarId } from "../tree-sitter/grammars.ts";
import type { ClaimType } from "../property-tests/claim.ts";

/** A library for one type of claim, and whether the templates here use it. */
export interface ClaimFramework {
  readonly name: string;
  /** Why no test is made; null if one is. */
  readonly untested: string | null;
}

const used = (name: string): ClaimFramework => ({ name, untested: null });
const unused = (name: string): ClaimFramework => ({ name, untested: `a test of this claim needs ${name}, for which there is no template` });

type Frameworks = Readonly<Record<ClaimType, ClaimFramework>>;

/** docs/decisions/0055 says why Go and Java have no library of their own for properties. */
export const FRAMEWORKS: Readonly<Record<GrammarId, Frameworks>> = {
  python: {
    invariant: used("hypothesis"),
    behavioral: used("pytest"),
    negative: used("pytest.raises"),
    temporal: unused("freezegun and hypothesis"),
    concurrent: unused("asyncio"),
    performance: unused("pytest-benchmark"),
  },
  rust: {
    invariant: used("proptest"),
    behavioral: used("#[test]"),
    negative: used("should_panic"),
    temporal: unused("mock_time and proptest"),
    concurrent: unused("loom"),
    performance: unused("criterion"),
  },
  go: {
    invariant: used("testing/quick"),
    behavioral: used("testing"),
    negative: used("testing with recover"),
    temporal: unused("testclock"),
    concurrent: unused("go test -race"),
    performance: unused("testing.B"),
  },
  java: {
    invariant: used("a seeded generator"),
    behavioral: used("a test program"),
    negative: used("a test program that expects an exception"),
    temporal: unused("a fixed java.time.Clock"),
    concurrent: unused("jcstress"),
    performance: unused("JMH"),
  },
  cpp: {
    invariant: used("rapidcheck"),
    behavioral: used("a test program"),
    negative: used("a test program that expects an exception"),
    temporal: unused("a clock that is passed in"),
    concurrent: unused("ThreadSanitizer"),
    performance: unused("Google Benchmark"),
  },
};
