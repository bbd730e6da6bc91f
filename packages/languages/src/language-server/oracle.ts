import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { CompileOracle, CompileResult, SourceProblem, SourceTree } from "../adapter.ts";
import type { OpenDocuments } from "./documents.ts";

export interface ServerOracle {
  /** The files that the server checks. */
  readonly tree: SourceTree;
  start(tree: SourceTree): Promise<OpenDocuments>;
  /** Whether a change of this file can cause problems in others. */
  affectsOthers(path: string, before: string | null, after: string): boolean;
}

/** An oracle over a language server. A server that died is started again, once for each check. */
export async function openServerOracle({ tree, start, affectsOthers }: ServerOracle): Promise<CompileOracle> {
  let accepted = tree;
  let documents = await start(accepted);

  const attempt = async (work: () => Promise<CompileResult>): Promise<CompileResult> => {
    try {
      return await work();
    } catch (error) {
      if (documents.isOpen || !(error instanceof SlipwayError)) throw error;
      documents = await start(accepted);
      return work();
    }
  };
  const all = async (paths: readonly string[]): Promise<CompileResult> => {
    const problems: SourceProblem[] = [];
    for (const path of paths) problems.push(...(await documents.problemsOf(path)));
    return { passed: problems.length === 0, problems };
  };

  return {
    check: () => attempt(() => all(Object.keys(accepted))),
    checkFile: (path, text) =>
      attempt(async () => {
        documents.change(path, text);
        try {
          const wide = affectsOthers(path, accepted[path] ?? null, text);
          return await all(wide ? [...new Set([...Object.keys(accepted), path])] : [path]);
        } finally {
          documents.change(path, accepted[path] ?? "");
        }
      }),
    accept(path, text) {
      accepted = { ...accepted, [path]: text };
      documents.change(path, text);
      return Promise.resolve();
    },
    close: () => documents.close(),
  };
}
