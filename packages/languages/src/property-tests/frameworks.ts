import type { ClaimType } from "./claim.ts";

/** The kind of test for each type of claim. */
export const CLAIM_TEST_KINDS: Readonly<Record<ClaimType, string>> = {
  invariant: "property test over arbitrary operations",
  behavioral: "integration test",
  negative: "test expecting failure",
  temporal: "state machine test with mock time",
  concurrent: "parallel execution test",
  performance: "benchmark",
};

type ClaimFrameworks = Readonly<Record<ClaimType, string>>;

/** The framework for each type of claim in the languages with strong support. */
export const CLAIM_FRAMEWORKS: Readonly<Record<"rust" | "typescript" | "python" | "go", ClaimFrameworks>> = {
  rust: {
    invariant: "proptest",
    behavioral: "#[test]",
    negative: "should_panic",
    temporal: "mock_time + proptest",
    concurrent: "loom",
    performance: "criterion",
  },
  typescript: {
    invariant: "fast-check",
    behavioral: "jest/vitest",
    negative: "expect().toThrow",
    temporal: "fake timers",
    concurrent: "workers",
    performance: "benchmark.js",
  },
  python: {
    invariant: "hypothesis",
    behavioral: "pytest",
    negative: "pytest.raises",
    temporal: "freezegun + hypothesis",
    concurrent: "asyncio",
    performance: "pytest-benchmark",
  },
  go: {
    invariant: "gopter",
    behavioral: "testing",
    negative: "require.Panics",
    temporal: "testclock",
    concurrent: "go test -race",
    performance: "testing.B",
  },
};

/** Claims about one flow are integration tests; claims about all states are property tests. */
export function claimTestFolder(type: ClaimType): "tests/property" | "tests/integration" {
  return type === "behavioral" || type === "negative" ? "tests/integration" : "tests/property";
}
