import { jsonLine } from "@slipway/protocols/surface/escape";
import { systemClock, systemIds } from "@slipway/durable/environment";
import { SlipwayError } from "../errors.ts";
import { askTrustOf } from "../trust/ask.ts";
import { ACTOR_ROLES, type ActorRole } from "@slipway/kernel/config/rbac";
import { openRepositoryView } from "@slipway/kernel/repository-view";
import { ALL_TOOLS } from "@slipway/kernel/tools/all";
import { assembleTools } from "@slipway/kernel/tools/table";
import { migrateProtocols, protocolTools } from "@slipway/protocols/all-protocols";
import { toolServerNamed } from "@slipway/protocols/protocols";
import { launchCommand } from "@slipway/mcp/launch-command";
import { CLIENTS, snippetFor } from "@slipway/mcp/print-config";
import { runHttp, runStdio, type McpEnvironment } from "@slipway/mcp/run";
import { issueToken, openTokenKey } from "@slipway/mcp/tokens";
import type { Arguments, RunCommand } from "@slipway/protocols/surface/command";
import { EXIT, type ExitCode } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import type { ToolServerEntry } from "@slipway/protocols/tool-server";
import { personOf } from "@slipway/protocols/surface/caller";
import { reasonFrom } from "@slipway/protocols/surface/unsandboxed";
import { VERSION } from "../version.ts";

const DEFAULT_PORT = 7420;
/** Workers work on one feature, so their tokens are limited to it. */
const WORKERS: ReadonlySet<ActorRole> = new Set(["planner", "builder", "qa"]);

export const run: RunCommand = async (args, io) => {
  const [action] = args.positionals;
  if (action === "token") return token(args, io);
  if (action !== undefined) throw invalid(`There is no \`slipway mcp ${action}\`.`, "Use `slipway mcp`, or `slipway mcp token`.");
  if (args.text("print-config") !== undefined) return printConfig(args, io);
  return serve(args, io);
};

async function serve(args: Arguments, io: Io): Promise<ExitCode> {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stopping.abort());
  const reason = reasonFrom(args);
  const around: McpEnvironment = {
    cwd: io.cwd,
    env: io.env,
    version: VERSION,
    ...(await toolsOf(args, io)),
    prepare: ({ database }) => migrateProtocols(database),
    signal: stopping.signal,
    report: (line) => io.err(`${line}\n`),
    askTrust: askTrustOf(io, args.flag("json")),
    unsandboxed: reason === undefined ? undefined : { reason, by: personOf(io).id },
  };
  const run = args.text("run") ?? null;
  if (args.flag("http")) {
    const onListening = (url: string) => io.out(args.flag("json") ? jsonLine({ ok: true, url }) : listening(url));
    await runHttp(around, { port: portFrom(args), run, onListening });
  } else {
    if (process.stdin.isTTY) io.err("Waiting for an MCP client on standard input. To connect one: `slipway mcp --print-config claude`.\n");
    await runStdio(
      around,
      { stdin: process.stdin, stdout: process.stdout },
      { role: roleFrom(args), feature: args.text("feature") ?? null, run },
    );
  }
  return EXIT.done;
}

/** Slipway's own tools, or those of one protocol's server. */
async function toolsOf(args: Arguments, io: Io): Promise<Pick<McpEnvironment, "table" | "server">> {
  const named = serverFrom(args);
  if (named === null) return { table: assembleTools([...ALL_TOOLS, ...(await protocolTools())]) };
  roleFrom(args);
  const { name, instructions, load } = named;
  const tools = await load({
    role: serverRoleFrom(args),
    function: args.text("function") ?? null,
    ref: args.text("ref") ?? null,
    env: io.env,
  });
  return { table: assembleTools(tools, []), server: { name, instructions } };
}

function serverFrom(args: Arguments): ToolServerEntry | null {
  const name = args.text("server");
  if (name !== undefined) return toolServerNamed(name);
  const alone = ["function", "ref"].find((option) => args.text(option) !== undefined);
  if (alone !== undefined) throw invalid(`--${alone} needs --server.`, "Name the server: `slipway mcp --help` lists them.");
  return null;
}

/** The role of the protocol that --role names; null if it names none. */
function serverRoleFrom(args: Arguments): string | null {
  return serverFrom(args)?.roles.find((name) => name === args.text("role")) ?? null;
}

function listening(url: string): string {
  return `Serving MCP at ${url} (this machine only). Clients need a token: \`slipway mcp token --role orchestrator\`. Ctrl-C ends it.\n`;
}

async function token(args: Arguments, io: Io): Promise<ExitCode> {
  if (serverFrom(args) !== null)
    throw invalid(
      "A token is for no server.",
      "Make the token without --server, and start the server with the role its clients should have.",
    );
  const role = roleFrom(args) ?? "orchestrator";
  const feature = args.text("feature") ?? null;
  if (WORKERS.has(role) && feature === null)
    throw invalid(`A token for the role ${role} needs --feature.`, "Name the one feature it may touch.");
  const { root } = await openRepositoryView(io);
  const { token: text, claims } = issueToken(
    { key: await openTokenKey(root, io.env), root, clock: systemClock, ids: systemIds },
    {
      role,
      actorId: args.text("actor") ?? `${role}-${personOf(io).id}`,
      feature,
      run: args.text("run") ?? null,
      lifetimeMs: lifetimeFrom(args.text("expires") ?? "12h"),
    },
  );
  if (args.flag("json")) io.out(jsonLine({ ok: true, token: text, claims }));
  else {
    io.out(`${text}\n`);
    const { actor_id, expires_at } = claims;
    io.err(
      `actor_type ${role}, actor_id ${actor_id}${feature === null ? "" : `, feature ${feature}`}; valid until ${new Date(expires_at).toISOString()}.\n`,
    );
  }
  return EXIT.done;
}

function printConfig(args: Arguments, io: Io): ExitCode {
  const wanted = args.text("print-config");
  const client = CLIENTS.find((name) => name === wanted);
  if (client === undefined)
    throw invalid(`--print-config takes one of ${CLIENTS.join(", ")}.`, "For example `slipway mcp --print-config claude`.");
  const server = serverFrom(args);
  const { command, args: words } = launchCommand(io.env, process.argv[1]);
  const chosen = ["server", "role", "function", "ref", "feature"].flatMap((name) =>
    args.text(name) === undefined ? [] : [`--${name}`, String(args.text(name))],
  );
  const { file, text } = snippetFor(
    client,
    args.flag("http") ? { kind: "http", port: portFrom(args) } : { kind: "stdio", command, args: [...words, "mcp", ...chosen] },
    server?.name,
  );
  if (args.flag("json")) io.out(jsonLine({ ok: true, client, file, text }));
  else {
    io.out(text);
    io.err(`Put this into ${file}.\n`);
  }
  return EXIT.done;
}

function roleFrom(args: Arguments): ActorRole | null {
  const wanted = args.text("role");
  if (wanted === undefined || serverRoleFrom(args) !== null) return null;
  const role = ACTOR_ROLES.find((name) => name === wanted);
  if (role === undefined)
    throw invalid(`There is no role '${wanted}'.`, `Use one of ${[...ACTOR_ROLES, ...(serverFrom(args)?.roles ?? [])].join(", ")}.`);
  return role;
}

function portFrom(args: Arguments): number {
  const text = args.text("port") ?? String(DEFAULT_PORT);
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw invalid(`'${text}' is no port.`, "Use a number from 0 (any that is free) to 65535.");
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };
const LONGEST_DAYS = 90;

function lifetimeFrom(text: string): number {
  const [, amount, unit] = /^([1-9]\d{0,3})([mhd])$/.exec(text) ?? [];
  const lifetime = Number(amount) * (UNITS[unit ?? ""] ?? Number.NaN);
  if (lifetime <= LONGEST_DAYS * (UNITS["d"] ?? 0)) return lifetime;
  throw invalid(`'${text}' is no lifetime of a token.`, `Use for example 30m, 12h or 7d; at most ${LONGEST_DAYS}d.`);
}

function invalid(message: string, next: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", message, { suggested_next_actions: [next] });
}
