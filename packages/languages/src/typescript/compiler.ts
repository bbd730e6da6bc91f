import { API, type Checker, type Program, type Snapshot } from "typescript/unstable/sync";
import type { SourceFile } from "typescript/unstable/ast";
import type { CompilerOptions } from "./oracle/compiler-options.ts";
import { Overlay, VIRTUAL } from "./overlay.ts";

/** One set of files, open in the compiler. */
export interface OpenProject {
  readonly program: Program;
  readonly checker: Checker;
  file(path: string): SourceFile | undefined;
  /** Paths of the project's own files, as passed in. */
  readonly paths: readonly string[];
  /** The same with more files; the earlier snapshot is closed. */
  with(more: Readonly<Record<string, string>>): OpenProject;
  /** Errors of these files as `path:line: text`. */
  problems(paths: readonly string[]): string[];
}

export interface Compiler {
  inProject<T>(files: Readonly<Record<string, string>>, body: (project: OpenProject) => T): T;
  close(): void;
}

/** Receives the id of each process of the compiler. */
export type OnStart = (pid: number) => void;

const OPTIONS = {
  strict: true,
  noEmit: true,
  module: "nodenext",
  target: "es2024",
  lib: ["es2024", "esnext.disposable"],
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  skipLibCheck: true,
};

/** The text of the tsconfig.json under which a project is checked. `own` are options of the project that differ from ours. */
export function projectConfig(overlay: Overlay, exclude: readonly string[] = [], own: CompilerOptions = {}): string {
  const types = overlay.nodeTypes === null ? { types: [] } : { types: ["node"], typeRoots: [`${overlay.nodeTypes}/@types`] };
  return JSON.stringify({
    compilerOptions: { ...OPTIONS, ...types, ...own },
    include: ["**/*.ts"],
    ...(exclude.length === 0 ? {} : { exclude }),
  });
}

/** TypeScript's own process, started on first use and kept, so that parsed files stay cached. */
export function openCompiler(onStart?: OnStart): Compiler {
  const overlay = new Overlay();
  let api: API | null = null;
  let opened = 0;
  const running = () => (api ??= start());

  function attempt<T>(files: Readonly<Record<string, string>>, body: (project: OpenProject) => T): T {
    const root = `${VIRTUAL}/${++opened}`;
    const config = `${root}/tsconfig.json`;
    overlay.set(config, projectConfig(overlay));
    const snapshots: Snapshot[] = [];
    const paths = new Set<string>();
    const open = (more: Readonly<Record<string, string>>): OpenProject => {
      const created = Object.keys(more).filter((path) => !paths.has(path));
      for (const [path, text] of Object.entries(more)) overlay.set(`${root}/${path}`, text);
      for (const path of created) paths.add(path);
      snapshots.at(-1)?.dispose();
      const fileChanges = { created: created.map((path) => `${root}/${path}`) };
      // Opening is reference-counted; close it once.
      const snapshot = running().updateSnapshot(snapshots.length === 0 ? { openProjects: [config], fileChanges } : { fileChanges });
      snapshots.push(snapshot);
      return view(snapshot, config, root, [...paths], open);
    };
    try {
      const result = body(open(files));
      snapshots.at(-1)?.dispose();
      running()
        .updateSnapshot({ closeProjects: [config] })
        .dispose();
      return result;
    } catch (error) {
      // After any error the process may be dead or out of sync, so the next call starts a new one.
      stop();
      throw error;
    } finally {
      overlay.remove(root);
    }
  }

  function start(): API {
    const started = new API({ cwd: VIRTUAL, fs: overlay.fileSystem });
    const pid = pidOf(started);
    if (pid !== undefined) onStart?.(pid);
    return started;
  }

  return {
    inProject(files, body) {
      try {
        return attempt(files, body);
      } catch {
        // Reading has no side effects, so it can be repeated.
        return attempt(files, body);
      }
    },
    close: stop,
  };

  function stop(): void {
    const stopped = api;
    api = null;
    try {
      stopped?.close();
    } catch {
      // It had already ended.
    }
  }
}

/** The API does not export its process. */
function pidOf(api: API): number | undefined {
  const { client } = api as unknown as { readonly client?: { readonly channel?: { readonly child?: { readonly pid?: number } } } };
  return client?.channel?.child?.pid;
}

function view(snapshot: Snapshot, config: string, root: string, paths: readonly string[], open: OpenProject["with"]): OpenProject {
  const project = snapshot.getProject(config);
  if (project === undefined) throw new Error("TypeScript did not open the project.");
  const { program, checker } = project;
  return {
    program,
    checker,
    paths,
    with: open,
    file: (path) => program.getSourceFile(`${root}/${path}`),
    problems: (wanted) =>
      wanted.flatMap((path) => {
        const file = `${root}/${path}`;
        const text = program.getSourceFile(file)?.text ?? "";
        const found = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)];
        return found.map((one) => `${path}:${text.slice(0, one.pos).split("\n").length}: ${one.text.replaceAll(`${root}/`, "")}`);
      }),
  };
}
