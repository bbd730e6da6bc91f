import type { ModuleSources } from "../language.ts";
import { plantedWords, type Below, type FailingFile } from "../toolchains/planted-tests.ts";
import { isTestFile } from "./layout.ts";
import type { TestRun } from "./test-run.ts";

export interface PlantedTests {
  readonly sources: ModuleSources;
  /** The title of the planted test of each file. */
  readonly titles: ReadonlyMap<string, string>;
}

/** The same module with one more test at the end of each test file, which must fail. Everything else that the file does is done before. */
export function withPlantedTests(sources: ModuleSources, below: Below): PlantedTests {
  const titles = new Map<string, string>();
  const files = Object.entries(sources.files).map(([path, text]) => {
    if (!isTestFile(path)) return [path, text] as const;
    const planted = plantTypescript(text, below);
    titles.set(path, planted.title);
    return [path, planted.text] as const;
  });
  return { sources: { ...sources, files: Object.fromEntries(files) }, titles };
}

/** At the end of a test file, whatever its runner: the planted test is one of Node's. */
export function plantTypescript(text: string, below: Below): FailingFile {
  const title = `${plantedWords(below)} ${below(1_000_000)}`;
  return { title, text: `${text}\n${testOf(title, `more${below(1_000_000)}`)}` };
}

function testOf(title: string, name: string): string {
  const [test, assert] = [`${name}Test`, `${name}Assert`];
  const quoted = JSON.stringify(title);
  return [
    `import ${assert} from "node:assert/strict";`,
    `import { test as ${test} } from "node:test";`,
    `${test}(${quoted}, () => ${assert}.equal(${JSON.stringify(title.length)}, 0));`,
    "",
  ].join("\n");
}

/** The test files whose planted test did not fail by its check. A run that broke has not shown them. */
export function greenFiles({ tests }: TestRun, titles: PlantedTests["titles"]): string[] {
  return [...titles].flatMap(([path, title]) => {
    const planted = tests.find(({ name }) => name === title);
    return planted?.result === "FAIL" && planted.error?.by === "check" ? [] : [path];
  });
}
