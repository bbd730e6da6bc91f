import type { LanguageAdapter } from "../adapter.ts";
import { copyOracle } from "../toolchains/compile.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { missingAmong } from "../toolchains/missing.ts";
import { claimTestOf, planClaim } from "../tree-sitter/claim-plan.ts";
import { syntaxAdapter } from "../tree-sitter/syntax-adapter.ts";
import { compileRust } from "./compile.ts";
import { rustGrammar } from "./grammar.ts";
import { CARGO, PROPTEST } from "./project.ts";
import { RUST_SCAN } from "./scan-rules.ts";
import { runRustTests } from "./tests.ts";
import { RUST_STYLE, rustUnitTest, renderRust } from "./unit-test.ts";
import { rustWitness } from "./witness.ts";

const FILES = /\.rs$/;

export function rustAdapter(machine: LanguageMachine): LanguageAdapter {
  return {
    id: "rust",
    title: "Rust",
    support: "full",
    extension: ".rs",
    ...syntaxAdapter(rustGrammar, FILES, RUST_SCAN),
    missingTools: () => missingAmong([CARGO, PROPTEST], machine),
    compileCheck: (sourcePath, run) => compileRust(machine, sourcePath, run),
    openOracle: (tree, run) => Promise.resolve(copyOracle(tree, run, (source, options) => compileRust(machine, source, options))),
    runTests: (sourcePath, selection) => runRustTests(machine, sourcePath, selection),
    generateWitness: rustWitness,
    unitTest: rustUnitTest,
    claimTest(tree, claim) {
      const path = `tests/claim_${claim.id}.rs`;
      return claimTestOf(claim, path, planClaim(RUST_STYLE, FILES, tree, claim), ({ plan, test }) => renderRust(tree, plan, path, [test]));
    },
  };
}
