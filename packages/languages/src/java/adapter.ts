import type { LanguageAdapter } from "../adapter.ts";
import { copyOracle } from "../toolchains/compile.ts";
import type { LanguageMachine } from "../toolchains/machine.ts";
import { missingAmong } from "../toolchains/missing.ts";
import { claimTestOf, planClaim } from "../tree-sitter/claim-plan.ts";
import { syntaxAdapter } from "../tree-sitter/syntax-adapter.ts";
import { compileJava } from "./compile.ts";
import { javaGrammar } from "./grammar.ts";
import { JAVAC, JUNIT } from "./project.ts";
import { JAVA_SCAN } from "./scan-rules.ts";
import { runJavaTests } from "./tests.ts";
import { JAVA_STYLE, javaUnitTest, renderJava } from "./unit-test.ts";
import { javaWitness } from "./witness.ts";

const FILES = /\.java$/;

export function javaAdapter(machine: LanguageMachine): LanguageAdapter {
  return {
    id: "java",
    title: "Java",
    support: "basic",
    extension: ".java",
    ...syntaxAdapter(javaGrammar, FILES, JAVA_SCAN),
    missingTools: () => missingAmong([JAVAC, JUNIT], machine),
    compileCheck: (sourcePath, run) => compileJava(machine, sourcePath, run),
    openOracle: (tree, run) => Promise.resolve(copyOracle(tree, run, (source, options) => compileJava(machine, source, options))),
    runTests: (sourcePath, selection) => runJavaTests(machine, sourcePath, selection),
    generateWitness: javaWitness,
    unitTest: javaUnitTest,
    claimTest(tree, claim) {
      const path = `tests/property/Claim${claim.id}Test.java`;
      return claimTestOf(claim, path, planClaim(JAVA_STYLE, FILES, tree, claim), ({ plan, test }) =>
        renderJava(tree, plan, { file: path, name: `Claim${claim.id}Test` }, [test]),
      );
    },
  };
}
