import type { LanguageAdapter } from "../adapter.ts";
import { copyOracle } from "../toolchains/compile.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { missingAmong } from "../toolchains/missing.ts";
import { claimTestOf, planClaim } from "../tree-sitter/claim-plan.ts";
import { syntaxAdapter } from "../tree-sitter/syntax-adapter.ts";
import { compileGo } from "./compile.ts";
import { goGrammar } from "./grammar.ts";
import { GO } from "./project.ts";
import { GO_SCAN } from "./scan-rules.ts";
import { runGoTests } from "./tests.ts";
import { GO_STYLE, goUnitTest, renderGo } from "./unit-test.ts";
import { goWitness } from "./witness.ts";

const FILES = /(?<!_test)\.go$/;

export function goAdapter(machine: LanguageMachine): LanguageAdapter {
  return {
    id: "go",
    title: "Go",
    support: "strong",
    extension: ".go",
    ...syntaxAdapter(goGrammar, FILES, GO_SCAN),
    missingTools: () => missingAmong([GO], machine),
    compileCheck: (sourcePath, run) => compileGo(machine, sourcePath, run),
    openOracle: (tree, run) => Promise.resolve(copyOracle(tree, run, (source, options) => compileGo(machine, source, options))),
    runTests: (sourcePath, selection) => runGoTests(machine, sourcePath, selection),
    generateWitness: goWitness,
    unitTest: goUnitTest,
    claimTest(tree, claim) {
      const path = `claim_${claim.id}_test.go`;
      return claimTestOf(claim, path, planClaim(GO_STYLE, FILES, tree, claim), ({ plan, test }) =>
        renderGo(tree, plan, `${plan.path.replace(/[^/]*$/, "")}claim_${claim.id}_test.go`, [test]),
      );
    },
  };
}
