import type { ModuleSources } from "../language.ts";
import { isTestFile } from "./layout.ts";
import type { TestRun } from "./test-run.ts";

/** A number from 0 up to, without, the limit. */

export interface PlantedTests {
  readonly sources: ModuleSources;
  /** The title of the planted test of each file. */
  readonly titles: ReadonlyMap<string, string>;
}

const WORDS = ["value", "order", "input", "empty", "total", "label", "limit", "range", "entry", "state", "group", "index"];

/** The same module with one more test at the end of each test file, which must fail. Everything else that the file does is done before. */
export function withPlantedTests(sources: ModuleSources, random: (limit: number) => number): PlantedTests {
  const titles = new Map<string, string>();
  const files = Object.entries(sources.files).map(([path, text]) => {
    if (!isTestFile(path)) return [path, text] as const;
    const words = Array.from({ length: 3 }, () => WORDS[random(WORDS.length)] ?? "value");
    const title = `${words.join(" ")} ${random(1_000_000)}`;
    titles.set(path, title);
    return [path, `${text}\n${testOf(title, `more${random(1_000_000)}`)}`] as const;
  });
  return { sources: { ...sources, files: Object.fromEntries(files) }, titles };
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
