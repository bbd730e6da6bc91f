import { extname } from "node:path";
import { LANGUAGE_IDS, type LanguageAdapter, type SourceTree } from "@slipway/languages/adapter";
import type { ProgramSize } from "./measure-runs.ts";

/** Lines and complexity of the sources of a program. Parsers are loaded here, because no other command needs them. */
export async function programSize(files: SourceTree): Promise<ProgramSize> {
  const sources = Object.entries(files).filter(([path]) => path.startsWith("src/"));
  const adapters = await adaptersFor(new Set(sources.map(([path]) => extname(path))));
  return {
    lines: sources.reduce((total, [, text]) => total + text.split("\n").filter((line) => line.trim() !== "").length, 0),
    cyclomatic: sources.flatMap(([path, text]) => {
      const adapter = adapters.get(extname(path));
      if (adapter === undefined) return [];
      const ast = adapter.parseAst(text);
      return ast.functions.map(({ name }) => adapter.complexity(ast, name).cyclomatic);
    }),
  };
}

async function adaptersFor(extensions: ReadonlySet<string>): Promise<ReadonlyMap<string, LanguageAdapter>> {
  const { languageAdapter } = await import("@slipway/languages/adapters");
  const found = await Promise.all(LANGUAGE_IDS.map(async (id) => languageAdapter(id, { env: {} })));
  return new Map(found.filter(({ extension }) => extensions.has(extension)).map((adapter) => [adapter.extension, adapter]));
}
