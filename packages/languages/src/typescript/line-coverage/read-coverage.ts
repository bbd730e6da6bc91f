import { readdir, readFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { z } from "zod";
import type { FunctionLines } from "../../analysis/coverage.ts";
import type { SourceTree } from "../../adapter.ts";
import { parseSource } from "../source/parse-source.ts";
import { readMappings } from "./mappings.ts";

/** As Node records it: counts of ranges of the generated code. */
const recordSchema = z.object({
  result: z.array(
    z.object({
      scriptId: z.string(),
      url: z.string(),
      functions: z.array(z.object({ ranges: z.array(z.object({ startOffset: z.int(), endOffset: z.int(), count: z.number() })).min(1) })),
    }),
  ),
});
type Script = z.infer<typeof recordSchema>["result"][number];

const SOURCE = /^src\/.*(?<!\.d)\.ts$/;

/**
 * The lines of every function that were reached, by the records that Node wrote when the module's process ended. Without a record nothing
 * was reached. Two scripts with the URL of one file are not believed: code can give a text that it evaluates any URL.
 */
export async function readCoverage(records: string, module: string, tree: SourceTree): Promise<FunctionLines[]> {
  const scripts = (await Promise.all((await readdir(records)).map((name) => readRecord(join(records, name))))).flat();
  return Object.entries(tree)
    .filter(([path]) => SOURCE.test(path))
    .flatMap(([path, text]) => {
      const url = pathToFileURL(join(module, path)).href;
      const own = scripts.filter((script) => script.url === url);
      const isOne = own.length > 0 && own.every(({ scriptId }) => scriptId === own[0]?.scriptId);
      return linesOf(path, text, url, isOne ? own : []);
    });
}

async function readRecord(file: string): Promise<Script[]> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(file, "utf8"))).result;
  } catch {
    return [];
  }
}

const SOURCE_MAP = /\n\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/;
const CODE = /[\w$"'`([]/;

function linesOf(path: string, text: string, sourceUrl: string, scripts: readonly Script[]): FunctionLines[] {
  const generated = stripTypeScriptTypes(text, { mode: "transform", sourceMap: true, sourceUrl });
  const [, map = ""] = SOURCE_MAP.exec(generated) ?? [];
  const { mappings } = z
    .object({ mappings: z.string() })
    .parse(JSON.parse(Buffer.from(map, "base64").toString("utf8") || '{"mappings":""}'));
  const [inGenerated, inText] = [lineStarts(generated), lineStarts(text)];
  const positions = readMappings(mappings).map(({ generated: [line, column], original }) => ({
    line: original[0],
    at: (inText[original[0]] ?? 0) + original[1],
    ran: scripts.some((script) => countAt(script, (inGenerated[line] ?? 0) + column) > 0),
  }));
  return parseSource(text).functions.map(({ name, body }) => {
    const firsts = new Map<number, { readonly at: number; readonly ran: boolean }>();
    for (const { line, at, ran } of positions) {
      const isInside = at > body.start && at < body.end - 1 && CODE.test(text[at] ?? "");
      if (isInside && at <= (firsts.get(line)?.at ?? at)) firsts.set(line, { at, ran });
    }
    const lines = [...firsts].toSorted(([a], [b]) => a - b);
    const numbers = (some: typeof lines) => some.map(([line]) => line + 1);
    return { path, name, lines: numbers(lines), reached: numbers(lines.filter(([, { ran }]) => ran)) };
  });
}

/** The count of the smallest range around an offset. */
function countAt({ functions }: Script, offset: number): number {
  let [size, found] = [Infinity, 0];
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) {
      if (offset < startOffset || offset >= endOffset || endOffset - startOffset > size) continue;
      [size, found] = [endOffset - startOffset, count];
    }
  }
  return found;
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}
