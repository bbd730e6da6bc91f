import { pathToFileURL } from "node:url";
import { join } from "node:path";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import { z } from "zod";
import type { SourceProblem, SourceTree } from "../adapter.ts";
import { connectServer, type ServerCommand, type ServerConnection } from "./connection.ts";

const ERROR = 1;
const diagnosticsSchema = z.array(
  z.object({
    range: z.object({ start: z.object({ line: z.number(), character: z.number() }) }),
    severity: z.number().optional(),
    message: z.string(),
  }),
);
const reportSchema = z.object({ items: diagnosticsSchema });
const publishedSchema = z.object({ uri: z.string(), version: z.number().optional(), diagnostics: diagnosticsSchema });
const capabilitiesSchema = z.object({ capabilities: z.object({ diagnosticProvider: z.unknown().optional() }) });

/** Files that a language server has open. It checks their texts as they were sent, not as they are on disk. */
export interface OpenDocuments {
  readonly isOpen: boolean;
  change(path: string, text: string): void;
  problemsOf(path: string): Promise<readonly SourceProblem[]>;
  close(): Promise<void>;
}

const registrationsSchema = z.object({ registrations: z.array(z.object({ method: z.string() })) });

type Published = z.infer<typeof publishedSchema>;

/** Diagnostics that a server sends of its own accord, as long as it cannot be asked. */
function publishedDiagnostics() {
  const latest = new Map<string, Published>();
  const waiting = new Set<() => void>();
  let canAsk = false;
  const wakeAll = () => waiting.forEach((wake) => wake());
  return {
    take(params: unknown) {
      const published = publishedSchema.safeParse(params).data;
      if (published === undefined) return;
      latest.set(published.uri, published);
      wakeAll();
    },
    /** From now on the server can be asked. A server may say so at any time: pyright does after its start, and only then checks at once. */
    ask() {
      canAsk = true;
      wakeAll();
    },
    /** The diagnostics of this version of a file; null if the server can be asked. */
    of(uri: string, version: number, limitMs: number): Promise<Published["diagnostics"] | null> {
      if (canAsk) return Promise.resolve(null);
      const { promise, resolve, reject } = Promise.withResolvers<Published["diagnostics"] | null>();
      const timer = setTimeout(
        () => reject(new SlipwayError("compiler_failed", `The language server sent no diagnostics within ${limitMs} ms.`)),
        limitMs,
      );
      const look = () => {
        const found = latest.get(uri);
        if (canAsk) resolve(null);
        else if (found !== undefined && (found.version ?? version) >= version) resolve(found.diagnostics);
      };
      waiting.add(look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        waiting.delete(look);
      });
    },
  };
}

/** Starts a server and opens every file of a tree in it. */
export async function openDocuments(command: ServerCommand, languageId: string, tree: SourceTree): Promise<OpenDocuments> {
  const published = publishedDiagnostics();
  const connection = connectServer(command, (method, params) => {
    if (method === "textDocument/publishDiagnostics") published.take(params);
    if (method === "client/registerCapability" && registersDiagnostics(params)) published.ask();
  });
  try {
    if (await initialize(connection, command.folder)) published.ask();
    const uriOf = (path: string) => pathToFileURL(join(command.folder, path)).href;
    const versions = new Map<string, number>();
    const open = (path: string, text: string) => {
      versions.set(path, 1);
      connection.notify("textDocument/didOpen", { textDocument: { uri: uriOf(path), languageId, version: 1, text } });
    };
    for (const [path, text] of Object.entries(tree)) open(path, text);
    return {
      get isOpen() {
        return connection.isOpen;
      },
      change(path, text) {
        const version = (versions.get(path) ?? 0) + 1;
        if (version === 1) return open(path, text);
        versions.set(path, version);
        connection.notify("textDocument/didChange", { textDocument: { uri: uriOf(path), version }, contentChanges: [{ text }] });
      },
      async problemsOf(path) {
        const uri = uriOf(path);
        const found = await published.of(uri, versions.get(path) ?? 1, command.requestMs);
        const items = found ?? reportSchema.parse(await connection.request("textDocument/diagnostic", { textDocument: { uri } })).items;
        return items
          .filter(({ severity = ERROR }) => severity === ERROR)
          .map(({ range: { start }, message }) => ({ file: path, line: start.line + 1, column: start.character + 1, message }));
      },
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function registersDiagnostics(params: unknown): boolean {
  return registrationsSchema.safeParse(params).data?.registrations.some(({ method }) => method === "textDocument/diagnostic") === true;
}

/** Whether the server can be asked for the diagnostics of a file from the start. */
async function initialize(connection: ServerConnection, folder: string): Promise<boolean> {
  const uri = pathToFileURL(folder).href;
  const textDocument = { synchronization: {}, publishDiagnostics: { versionSupport: true }, diagnostic: { dynamicRegistration: true } };
  const answer = await connection.request("initialize", {
    processId: null,
    rootUri: uri,
    workspaceFolders: [{ uri, name: "project" }],
    capabilities: { textDocument, workspace: { configuration: true, workspaceFolders: true } },
  });
  connection.notify("initialized", {});
  return capabilitiesSchema.parse(answer).capabilities.diagnosticProvider != null;
}
