import { openProvider } from "@slipway/agents/open";
import { findProgram } from "@slipway/agents/program";
import type { Explained } from "@slipway/agents/select";
import { fromFailure } from "@slipway/durable/errors";
import type { AgentsConfig } from "@slipway/kernel/config/agents";
import { castNow, type Cast } from "@slipway/runtime/role-assignment";
import { note, ok, problem, type Finding, type Patient } from "./check.ts";
import { thrown } from "./in-words.ts";

const CHOOSE =
  "Set runtime.default_provider in slipway/agents.yaml, or pass --agent-provider to `slipway run`; `slipway agents` lists them.";

/** Who would play the roles if a run started now without options. Nobody is called. */
export async function checkAgents(patient: Patient): Promise<Finding[]> {
  const configuration = await patient.configuration();
  if (configuration === null) return [note("Not looked at, because the configuration cannot be used.")];
  const cast = await castNow(patient.repository, configuration, patient.io, {});
  const alike = Map.groupBy(cast, ({ played }) => ("code" in played ? played.code : JSON.stringify([played.provider, played.model])));
  return Promise.all([...alike.values()].map((roles) => checkPlayed(roles, patient, configuration.agents)));
}

function checkPlayed(cast: readonly Cast[], patient: Patient, agents: AgentsConfig | null): Promise<Finding> | Finding {
  const roles = rolesText(cast);
  const [first] = cast;
  if (first === undefined) return note("There are no roles.");
  const { played } = first;
  if (!("code" in played)) return checkProvider(played, roles, patient, agents);
  // Nobody is chosen: that is open until a run starts, and no fault.
  if (played.code === "agent_provider_not_configured") return note(`Nobody is chosen yet to play ${roles}.`, CHOOSE);
  throw fromFailure(played);
}

/** Whatever can be found out before a call is found out when a provider is opened. */
async function checkProvider(
  selection: Explained,
  roles: string,
  { io, repository }: Patient,
  agents: AgentsConfig | null,
): Promise<Finding> {
  const { provider, model } = selection;
  const cassette = agents?.runtime.replay?.cassette;
  if (provider === "replay" && cassette === undefined) {
    const mend = "Set runtime.replay.cassette in slipway/agents.yaml, or pass --cassette FOLDER to `slipway run`.";
    return note(`Recorded answers play ${roles}, but the configuration does not say where they are.`, mend);
  }
  const [program] = provider === "custom" ? (agents?.runtime.custom?.command ?? []) : [];
  if (program !== undefined && findProgram(program, io.env["PATH"], repository.root) === null) {
    const mend = "Install it, or correct runtime.custom.command in slipway/agents.yaml.";
    return problem(`The agent command that would play ${roles} cannot start: there is no program "${program}".`, mend);
  }
  try {
    await openProvider({ agents, env: io.env, root: repository.root, cwd: io.cwd }, selection);
  } catch (error) {
    return { ...thrown(error), finding: `${thrown(error).finding} (It would play ${roles}.)` };
  }
  if (provider === "replay") return ok(`Recorded answers from ${cassette} play ${roles}.`);
  return ok(`${provider}${model === null ? "" : ` with ${model}`} plays ${roles}.`);
}

/** Each protocol with its roles, such as `features: builder, qa`. */
function rolesText(cast: readonly Cast[]): string {
  const byProtocol = Map.groupBy(cast, ({ protocol }) => protocol);
  return [...byProtocol].map(([protocol, roles]) => `${protocol}: ${roles.map(({ role }) => role).join(", ")}`).join("; ");
}
