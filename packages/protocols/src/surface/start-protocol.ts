import type { RunAgents } from "../dispatch/run-agents.ts";
import type { ProtocolEntry, NothingToDo, RunRequest } from "../protocol.ts";
import type { Arguments } from "./command.ts";
import { jsonLine } from "./escape.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { requestFrom } from "./request.ts";
import type { Begun, Starter, Surface } from "./surface.ts";

/** Reads the request, records the run and drives it until it ends or a person is needed. */
export async function startProtocol(entry: ProtocolEntry, args: Arguments, surface: Surface): Promise<ExitCode> {
  return startRequest(entry, await requestFrom(entry, args, surface), args, surface);
}

/** Each specification becomes a change that the protocol `inner` makes, under the plans, locks, gates and approvals of `outer`. */
export async function startSpecifications(
  outer: ProtocolEntry,
  inner: ProtocolEntry,
  args: Arguments,
  surface: Surface,
): Promise<ExitCode> {
  return startRequest(outer, { ...(await requestFrom(outer, args, surface)), inner: inner.name }, args, surface);
}

function startRequest(entry: ProtocolEntry, request: RunRequest, args: Arguments, surface: Surface): Promise<ExitCode> {
  return surface.run(args, async (starter) => {
    const begun = await beginRun(entry, starter, request, { skipBaseGates: args.flag("skip-base-gates") });
    return "runId" in begun ? begun : showNothingToDo(begun, surface, args.flag("json"));
  });
}

/** Refuses a bad request before the run is recorded. */
export async function beginRun(
  { name, load }: ProtocolEntry,
  starter: Starter,
  request: RunRequest,
  { skipBaseGates = false } = {},
): Promise<Begun | NothingToDo> {
  const protocol = await load();
  const prepared = await protocol.prepare(starter, request);
  if (!("input" in prepared)) return prepared;
  for (const played of prepared.protocols ?? [name]) await starter.assertAgents(played);
  return { runId: await recordRun(starter, name, rootOf(protocol.started), prepared, skipBaseGates), note: prepared.note ?? "" };
}

/** Opens the sandbox first, so that a machine without one is refused before any agent is paid. */
export async function recordRun(
  starter: Starter,
  protocol: string,
  workflow: string,
  { input, slug, protocols = [protocol] }: { readonly input: object; readonly slug: string; readonly protocols?: readonly string[] },
  skipBaseGates: boolean,
): Promise<string> {
  await starter.sandbox();
  const agents = await agentsOf(starter, protocol, protocols);
  return starter.start(workflow, slug, { agents, ...(skipBaseGates ? { skip_base_gates: true } : {}), ...input });
}

/** The agents of all protocols that are played; roles of other protocols than the run's own have its name before theirs. */
async function agentsOf(starter: Starter, own: string, played: readonly string[]): Promise<RunAgents> {
  const named = played.map(async (protocol) => {
    const agents = Object.entries(await starter.agents(protocol));
    return agents.map(([role, agent]) => [protocol === own ? role : `${protocol}/${role}`, agent] as const);
  });
  return Object.fromEntries((await Promise.all(named)).flat());
}

function rootOf([root]: readonly { readonly name: string }[]): string {
  if (root === undefined) throw new TypeError("A protocol has at least one workflow that can be started.");
  return root.name;
}

function showNothingToDo({ lines, json: facts }: NothingToDo, surface: Surface, json: boolean): ExitCode {
  surface.out(json ? jsonLine(facts) : lines.map((line) => `${line}\n`).join(""));
  return EXIT.done;
}
