import { join } from "node:path";
import { removeTree } from "@slipway/kernel/host/files/remove-tree";
import { makeTemporaryFolder } from "@slipway/kernel/host/files/temporary-folder";
import type { CompileOracle, SourceTree, ToolRun } from "../adapter.ts";
import { openDocuments } from "../language-server/documents.ts";
import { openServerOracle } from "../language-server/oracle.ts";
import { copyOracle } from "../toolchains/compile.ts";
import { programsOf, type LanguageMachine } from "../toolchains/machine.ts";
import { putFiles } from "../toolchains/work-folder.ts";
import { parseSource } from "../tree-sitter/source.ts";
import { compilePython, PYRIGHT_CONFIG } from "./compile.ts";
import { pythonGrammar } from "./grammar.ts";
import { pyrightFolder } from "./tools.ts";

const REQUEST_MS = 60_000;

/** pyright keeps the tree open. Without it each check compiles a copy, with what is installed. */
export async function openPythonOracle(machine: LanguageMachine, tree: SourceTree, run: ToolRun): Promise<CompileOracle> {
  const pyright = await pyrightFolder(machine);
  if (pyright === null) return copyOracle(tree, run, (source, options) => compilePython(machine, source, options));
  const programs = await programsOf(machine);
  const folder = await makeTemporaryFolder("oracle");
  const config = tree["pyrightconfig.json"] ?? PYRIGHT_CONFIG;
  try {
    await putFiles(folder, { ...tree, "pyrightconfig.json": config });
    const oracle = await openServerOracle({
      tree: Object.fromEntries(Object.entries(tree).filter(([path]) => path.endsWith(".py"))),
      affectsOthers,
      start: (files) =>
        openDocuments(
          {
            sandbox: run.sandbox,
            folder,
            command: ["node", join(pyright, "langserver.index.js"), "--stdio"],
            env: { PATH: programs.path },
            readOnly: [pyright, ...programs.shownFor("python3")],
            requestMs: run.timeoutMs ?? REQUEST_MS,
            ...(run.signal === undefined ? {} : { signal: run.signal }),
          },
          "python",
          files,
        ),
    });
    return {
      ...oracle,
      async close() {
        await oracle.close();
        await removeTree(folder);
      },
    };
  } catch (error) {
    await removeTree(folder);
    throw error;
  }
}

/** Another body with the same signatures cannot break another file. */
function affectsOthers(_path: string, before: string | null, after: string): boolean {
  return before === null || outline(before) !== outline(after);
}

function outline(text: string): string {
  try {
    const { functions } = parseSource(pythonGrammar, text);
    // Bodies are cut out from the last to the first; a function inside another goes with it.
    const outer = functions.filter(({ name }) => !functions.some((other) => name.startsWith(`${other.name}.`)));
    return outer.toReversed().reduce((rest, { body }) => rest.slice(0, body.start) + rest.slice(body.end), text);
  } catch {
    return text;
  }
}
