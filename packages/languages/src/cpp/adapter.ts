import type { LanguageAdapter } from "../adapter.ts";
import { copyOracle } from "../toolchains/compile.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { missingAmong } from "../toolchains/missing.ts";
import { claimTestOf, planClaim } from "../tree-sitter/claim-plan.ts";
import { syntaxAdapter } from "../tree-sitter/syntax-adapter.ts";
import { compileCpp } from "./compile.ts";
import { cppGrammar } from "./grammar.ts";
import { GXX, RAPIDCHECK } from "./project.ts";
import { CPP_SCAN } from "./scan-rules.ts";
import { runCppTests } from "./tests.ts";
import { CPP_STYLE, cppUnitTest, renderCpp } from "./unit-test.ts";
import { cppWitness } from "./witness.ts";

const FILES = /\.(?:cpp|cc|cxx|hpp|hh|hxx|h)$/;

export function cppAdapter(machine: LanguageMachine): LanguageAdapter {
  return {
    id: "cpp",
    title: "C++",
    support: "basic",
    extension: ".cpp",
    ...syntaxAdapter(cppGrammar, FILES, CPP_SCAN),
    missingTools: () => missingAmong([GXX, RAPIDCHECK], machine),
    compileCheck: (sourcePath, run) => compileCpp(machine, sourcePath, run),
    openOracle: (tree, run) => Promise.resolve(copyOracle(tree, run, (source, options) => compileCpp(machine, source, options))),
    runTests: (sourcePath, selection) => runCppTests(machine, sourcePath, selection),
    generateWitness: cppWitness,
    unitTest: cppUnitTest,
    claimTest(tree, claim) {
      const path = `tests/property/claim_${claim.id}_test.cpp`;
      return claimTestOf(claim, path, planClaim(CPP_STYLE, FILES, tree, claim), ({ plan, test }) => renderCpp(tree, plan, path, [test]));
    },
  };
}
