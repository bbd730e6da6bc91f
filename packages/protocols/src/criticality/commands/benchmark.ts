import { openProvider } from "@slipway/agents/open";
import { digestOf } from "@slipway/durable/canonical";
import type { ProviderName } from "@slipway/kernel/config/agents";
import type { RunAgent } from "../../dispatch/run-agents.ts";
import type { Arguments, RunCommand } from "../../surface/command.ts";
import { EXIT, type ExitCode } from "../../surface/exit-codes.ts";
import type { Begun, Starter, Surface } from "../../surface/surface.ts";
import { benchmark, subjectsOf, type BenchmarkInput } from "../benchmark/benchmark.ts";
import { agentFor, agentText, changeFor, measuredModels, refused, type ModelWish } from "../benchmark/models.ts";
import { lastResult } from "../benchmark/store.ts";
import type { BenchmarkCase } from "../benchmark/suite/case.ts";
import { suiteVersions } from "../benchmark/suite/suite.ts";
import { CONFIG_FILE, parseConfig } from "../config/config.ts";
import { committedFiles } from "../prepare.ts";
import { showHistory } from "./benchmark-history.ts";
import { readRequest, type BenchmarkRequest } from "./benchmark-request.ts";

/** Runs the bundled suite with the assigned models, or with a candidate that is compared with them. */
export const run: RunCommand = async (args, io) => {
  const request = readRequest(args, io.env);
  if (args.flag("history")) return showHistory(args, io);
  const asked: AskedBenchmark = { request, args, io };
  if (request.candidate !== null) {
    const measured = await io.run(args, (starter) => beginCurrent(starter, asked));
    if (measured !== EXIT.done) return measured;
  }
  return io.run(args, async (starter) => startOrContinue(starter, await inputOf(starter, asked)));
};

interface AskedBenchmark {
  readonly request: BenchmarkRequest;
  readonly args: Arguments;
  readonly io: Surface;
}

/** The input of a run, with everything checked that can be checked before a model is called. */
async function inputOf(starter: Starter, asked: AskedBenchmark): Promise<BenchmarkInput> {
  const { kernel } = starter;
  const { cases, models, candidate } = asked.request;
  await starter.assertAgents("criticality");
  const config_text = await committedFiles(kernel)(CONFIG_FILE);
  parseConfig(config_text, CONFIG_FILE);
  const first_tier = candidate?.tier ?? "worker";
  const assigned: Record<string, RunAgent> = { ...(await starter.agents("criticality")) };
  const agentOf = async (wish: ModelWish) => {
    const agent = await agentFor(wish, config_text);
    await assertProvider(starter, agent, asked);
    return agent;
  };
  for (const wish of models) assigned[wish.role] = await agentOf(wish);
  const current = measuredModels(assigned, first_tier);
  const base = { ...casesInput(cases), first_tier, config_text };
  if (candidate === null) return { ...base, models: current, agents: assigned, candidate: null };
  const agent = await agentOf(candidate);
  const { role, model } = candidate;
  if (current[role] === agentText(agent))
    throw refused("--candidate", `--candidate: ${model} plays ${role} already`, ["Name another model, or leave --candidate out."]);
  const agents = { ...assigned, [role]: agent };
  const change = changeFor(candidate, agent, kernel.configuration.agents);
  return { ...base, models: measuredModels(agents, first_tier), agents, candidate: { role, model, current, change } };
}

function casesInput(cases: readonly BenchmarkCase[]): Pick<BenchmarkInput, "cases" | "levels"> {
  return { cases: cases.map(({ id }) => id), levels: suiteVersions(cases) };
}

/** A provider that is not installed or not configured is refused before anything is recorded. */
async function assertProvider(
  { kernel }: Starter,
  { provider, model }: RunAgent & { readonly provider: ProviderName },
  { args, io }: AskedBenchmark,
): Promise<void> {
  const { configuration, repository } = kernel;
  const context = { agents: configuration.agents, env: io.env, root: repository.root, cwd: io.cwd, cassette: args.text("cassette") };
  await openProvider(context, { provider, model, configEnv: null });
}

/** A run of the current assignment, for the levels that it has no result of. */
async function beginCurrent(starter: Starter, asked: AskedBenchmark): Promise<Begun | ExitCode> {
  const { request, args, io } = asked;
  const { candidate, levels, first_tier } = await inputOf(starter, asked);
  if (candidate === null) return EXIT.done;
  const missing = new Set<string>();
  for (const subject of subjectsOf({ levels, first_tier, models: candidate.current })) {
    const stored = await lastResult(starter.records.database.db, subject, null);
    if (stored === null) missing.add(subject.level);
    else if (!args.flag("json")) io.out(`${subject.level}: compared with the result of ${stored.run_id}\n`);
  }
  if (missing.size === 0) return EXIT.done;
  const current = await inputOf(starter, { ...asked, request: { ...request, candidate: null } });
  const cases = casesInput(request.cases.filter(({ level }) => missing.has(level)));
  return startOrContinue(starter, { ...current, ...cases, first_tier, models: candidate.current });
}

const UNFINISHED = ["pending", "running", "waiting", "stopped"] as const;

const DIGEST_CHARACTERS = 8;

/** A run with the same input that was interrupted is continued, so that nothing is paid for twice. */
async function startOrContinue(starter: Starter, input: BenchmarkInput): Promise<Begun> {
  await starter.sandbox();
  const slug = `benchmark-${digestOf(input).slice(0, DIGEST_CHARACTERS)}`;
  const open = await starter.engine.runs({ rootsOnly: true, workflow: benchmark.name, status: UNFINISHED });
  const interrupted = open.find(({ runId }) => new RegExp(`_${slug}(?:-\\d+)?$`).test(runId));
  const models = Object.entries(input.models).map(([role, model]) => `${role} ${model}`);
  const note = `: ${input.cases.length} cases; ${models.join(", ")}`;
  if (interrupted !== undefined) return { runId: interrupted.runId, note: `${note} (continued)` };
  return { runId: await starter.start(benchmark.name, slug, input), note };
}
