import { readFileSync } from "node:fs";
import { join } from "node:path";
import { kindAt } from "@slipway/kernel/host/sandbox/paths";
import type { WantedTool } from "../toolchains/missing.ts";
import { filesIn } from "../toolchains/work-folder.ts";

export const JAVAC: WantedTool = {
  tool: "javac",
  neededFor: "compile checks and tests of Java",
  install: "Debian: apt-get install default-jdk-headless",
  program: "javac",
};

/** Debian's JUnit 5, with what its console launcher needs. */
const JUNIT_JARS = [
  "junit-jupiter-api",
  "junit-jupiter-engine",
  "junit-jupiter-params",
  "junit-platform-commons",
  "junit-platform-engine",
  "junit-platform-launcher",
  "junit-platform-console",
  "junit-platform-reporting",
  "opentest4j",
  "opentest4j-reporting-events",
  "opentest4j-reporting-schema",
  "apiguardian-api",
  "picocli",
  "univocity-parsers",
].map((name) => `/usr/share/java/${name}.jar`);

export const JUNIT: WantedTool = {
  tool: "JUnit 5",
  neededFor: "tests of Java that use its annotations",
  install: "Debian: apt-get install junit5",
  program: hasJunit,
};

export function hasJunit(): boolean {
  return kindAt("/usr/share/java/junit-platform-console.jar") !== "missing";
}

export function junitPath(): string[] {
  return JUNIT_JARS.filter((jar) => kindAt(jar) !== "missing");
}

export interface JavaFiles {
  readonly all: readonly string[];
  /** Test classes with a `main`, by their full name. */
  readonly programs: readonly { readonly path: string; readonly name: string }[];
  readonly usesJunit: boolean;
}

const TEST = /(?:^|\/)(?:tests?\/|[^/]*Tests?\.java$)/;

export function javaFiles(folder: string): JavaFiles {
  const all = filesIn(folder).filter((path) => path.endsWith(".java"));
  const tests = all.filter((path) => TEST.test(path)).map((path) => ({ path, text: readFileSync(join(folder, path), "utf8") }));
  return {
    all,
    programs: tests
      .filter(({ text }) => /\bstatic\s+void\s+main\s*\(/.test(text))
      .map(({ path, text }) => ({ path, name: className(path, text) })),
    usesJunit: tests.some(({ text }) => /\borg\.junit\.jupiter\b/.test(text)),
  };
}

function className(path: string, text: string): string {
  const name =
    path
      .split("/")
      .at(-1)
      ?.replace(/\.java$/, "") ?? "";
  const inPackage = /^\s*package\s+([\w.]+)\s*;/m.exec(text)?.[1];
  return inPackage === undefined ? name : `${inPackage}.${name}`;
}
