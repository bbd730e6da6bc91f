import { readFileSync } from "node:fs";
import { join } from "node:path";
import { kindAt } from "@slipway/kernel/host/sandbox/paths";
import type { WantedTool } from "../toolchains/missing.ts";
import { filesIn } from "../toolchains/work-folder.ts";

export const GXX: WantedTool = {
  tool: "g++",
  neededFor: "compile checks and tests of C++",
  install: "Debian: apt-get install g++",
  program: "g++",
};
export const RAPIDCHECK: WantedTool = {
  tool: "rapidcheck",
  neededFor: "property tests of C++",
  install: "Debian: apt-get install librapidcheck-dev",
  program: () => ["/usr/include", "/usr/local/include"].some((folder) => kindAt(join(folder, "rapidcheck.h")) === "file"),
};

export const CPP_FLAGS: readonly string[] = ["-std=c++20", "-Isrc", "-Iinclude", "-I."];
const SOURCE = /\.(?:cpp|cc|cxx)$/;
const HEADER = /\.(?:hpp|hh|hxx|h)$/;
const TEST = /(?:^|\/)(?:tests?\/|test_[^/]*\.|[^/]*[_.]test\.)/;

export interface CppFiles {
  /** Sources without `main`, which every test is linked with. */
  readonly sources: readonly string[];
  readonly headers: readonly string[];
  readonly tests: readonly string[];
  /** Programs, with a `main` of their own. */
  readonly programs: readonly string[];
}

export function cppFiles(folder: string): CppFiles {
  const all = filesIn(folder);
  const code = all.filter((path) => SOURCE.test(path));
  const tests = code.filter((path) => TEST.test(path));
  const others = code.filter((path) => !TEST.test(path));
  const hasMain = (path: string) => /\bmain\s*\(/.test(readFileSync(join(folder, path), "utf8"));
  return {
    sources: others.filter((path) => !hasMain(path)),
    headers: all.filter((path) => HEADER.test(path)),
    tests,
    programs: others.filter(hasMain),
  };
}

/** The libraries that the headers of a test need. */
export function librariesOf(text: string): string[] {
  return [
    ...(/#\s*include\s*<rapidcheck/.test(text) ? ["-lrapidcheck"] : []),
    ...(/#\s*include\s*<gtest\//.test(text) ? [...(/\bmain\s*\(/.test(text) ? [] : ["-lgtest_main"]), "-lgtest", "-pthread"] : []),
  ];
}
