import type { Readable, Writable } from "node:stream";
import { SlipwayError } from "@slipway/kernel/schema/errors";
import type { ActorRole } from "@slipway/kernel/config/rbac";
import { openKernelAt, type OpenAt, type OpenedRepository } from "@slipway/kernel/open";
import type { Environment } from "@slipway/kernel/host/places";
import type { SandboxOverride } from "@slipway/kernel/host/sandbox/contract";
import { ALL_TOOLS } from "@slipway/kernel/tools/all";
import { checkConfigurationFiles, loadDocumentSchemas, type DocumentSchemas } from "@slipway/kernel/tools/documents";
import type { Records } from "@slipway/kernel/record/storage";
import { assembleTools, type ToolTable } from "@slipway/kernel/tools/table";
import type { Credential } from "@slipway/kernel/tools/credential";
import { openServerParts } from "./server-parts.ts";
import { overHttp } from "./http.ts";
import type { OwnServer } from "./server.ts";
import { openAuthenticator } from "./identify.ts";
import { TOKEN_VARIABLE } from "./print-config.ts";
import { overStdio } from "./stdio.ts";

/** The process environment of a server. */
export interface McpEnvironment {
  readonly cwd: string;
  readonly env: Environment;
  readonly version: string;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
  readonly unsandboxed?: SandboxOverride | undefined;
  /** Asked before the server starts, never for a client. */
  readonly askTrust?: OpenAt["askTrust"];
  readonly table?: ToolTable;
  readonly folder?: string;
  /** Serves a protocol's own server instead of Slipway's; `table` has its tools. */
  readonly server?: OwnServer | undefined;
  /** Runs once, before the first client: a protocol's tables are brought up to date. */
  readonly prepare?: (records: Records) => Promise<void>;
  /** For the kill suite. */
  readonly observe?: OpenAt["observe"];
}

/** Serves until the client disconnects. The role comes from the token; without a token, from the option of the command. */
export async function runStdio(
  around: McpEnvironment,
  streams: { readonly stdin: Readable; readonly stdout: Writable },
  chosen: { readonly role: ActorRole | null; readonly feature: string | null; readonly run: string | null },
): Promise<void> {
  await withRepository(around, async (opened, documents) => {
    const parts = await openServerParts({ ...partsOptions(around, opened), documents, transport: "stdio" });
    const token = around.env[TOKEN_VARIABLE];
    const authenticate = await openAuthenticator(opened, around.env, chosen.run);
    const identify = async (): Promise<Credential> =>
      token === undefined ? { role: chosen.role ?? "orchestrator", actorId: null, feature: chosen.feature } : authenticate(token);
    const credential = await identify();
    if (token !== undefined) assertMatchesToken(credential, chosen);
    await overStdio(parts, { ...streams, credential, identify, signal: around.signal });
  });
}

/** Serves until the signal aborts. Every request needs a token. */
export async function runHttp(
  around: McpEnvironment,
  { port, run, onListening }: { readonly port: number; readonly run: string | null; readonly onListening: (url: string) => void },
): Promise<void> {
  await withRepository(around, async (opened, documents) => {
    const parts = await openServerParts({ ...partsOptions(around, opened), documents, transport: "streamable_http" });
    const serving = await overHttp(parts, await openAuthenticator(opened, around.env, run), { port });
    onListening(serving.url);
    if (!around.signal.aborted)
      await new Promise<void>((resolve) => around.signal.addEventListener("abort", () => resolve(), { once: true }));
    await serving.close();
  });
}

/** Loads the shipped schemas first and opens nothing without them. */
async function withRepository(
  { cwd, env, unsandboxed, askTrust, observe, prepare }: McpEnvironment,
  work: (opened: OpenedRepository, documents: DocumentSchemas) => Promise<void>,
): Promise<void> {
  const documents = loadDocumentSchemas();
  const check: OpenAt["check"] = (readFile) => checkConfigurationFiles(documents, readFile);
  const opened = await openKernelAt({ cwd, env, unsandboxed, askTrust, observe, check });
  try {
    await prepare?.(opened.records);
    await work(opened, documents);
  } finally {
    await opened.close();
  }
}

function partsOptions({ version, report, table = assembleTools(ALL_TOOLS), folder, server }: McpEnvironment, opened: OpenedRepository) {
  return { opened, table, version, report, server, ...(folder === undefined ? {} : { folder }) };
}

function assertMatchesToken(
  credential: Credential,
  { role, feature }: { readonly role: ActorRole | null; readonly feature: string | null },
): void {
  if ((role === null || role === credential.role) && (feature === null || feature === credential.feature)) return;
  throw new SlipwayError("invalid_cli_args", `${TOKEN_VARIABLE} contains a token for another role or feature than the options name.`, {
    suggested_next_actions: [`Leave out --role and --feature, or unset ${TOKEN_VARIABLE}.`],
  });
}
