import { extname } from "node:path";
import { LANGUAGE_IDS, type LanguageAdapter, type SourceTree } from "@slipway/languages/adapter";
import type { ProgramSize } from "./measure-runs.ts";

/** Lines and complexity of the sources of a program. Parsers are loaded here, because no other command needs them. */
export async function programSize(files: SourceTree): Promise<ProgramSize> {
  const sources = Object.entries(files).filter(([path]) => path.startsWith("src/"));
  const adapter = await adapterFor(new Set(sources.map(([path]) => extname(path))));
  return {
    lines: sources.reduce((total, [, text]) => total + text.split("\n").filter((line) => line.trim() !== "").length, 0),
    cyclomatic: sources.flatMap(([path, text]) => {
      if (adapter === null || extname(path) !== adapter.extension) return [];
      const ast = adapter.parseAst(text);
      return ast.functions.map(({ name }) => adapter.complexity(ast, name).cyclomatic);
    }),
  };
}

/** A program has one language, so the first that fits is its own. */
async function adapterFor(extensions: ReadonlySet<string>): Promise<LanguageAdapter | null> {
  const { languageAdapter } = await import("@slipway/languages/adapters");
  for (const id of LANGUAGE_IDS) {
    const adapter = await languageAdapter(id, { env: {} });
    if (extensions.has(adapter.extension)) return adapter;
  }
  return null;
}
