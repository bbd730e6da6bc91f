import { isAbsolute, join } from "node:path";
import { agentEnvironment } from "@slipway/agents/custom";
import { replayProvider } from "@slipway/agents/replay";
import { selectProvider } from "@slipway/agents/select";
import { SlipwayError } from "@slipway/durable/errors";
import { WORKER_ROLES, type AgentsConfig, type ProviderName } from "@slipway/kernel/config/agents";
import { missingCommand } from "@slipway/kernel/sandbox/command";
import { note, ok, problem, type Finding, type Patient } from "./check.ts";

const CHOOSE = "Set runtime.default_provider in slipway/agents.yaml, or pass --agent-provider to `slipway run`.";

/** Who would play the roles if a run started now without options. Nobody is called. */
export async function checkAgents(patient: Patient): Promise<Finding[]> {
  const configuration = await patient.configuration();
  if (configuration === null) return [note("Not looked at, because the configuration cannot be used.")];
  const { agents } = configuration;
  const { env } = patient.io;
  const rolesOf = Map.groupBy(WORKER_ROLES, (role) => chosenFor(role, env, agents));
  return Promise.all([...rolesOf].map(([provider, roles]) => checkProvider(provider, roles.join(", "), patient, agents)));
}

/** Null when nobody is chosen: that is open until a run starts, and no fault. */
function chosenFor(role: string, env: Patient["io"]["env"], agents: AgentsConfig | null): ProviderName | null {
  try {
    return selectProvider(role, { flags: {}, env, agents }).provider;
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "agent_provider_not_configured") return null;
    throw error;
  }
}

async function checkProvider(
  provider: ProviderName | null,
  roles: string,
  patient: Patient,
  agents: AgentsConfig | null,
): Promise<Finding> {
  if (provider === null) return note(`Nobody is chosen yet to play ${roles}.`, CHOOSE);
  if (provider === "replay") return checkReplay(roles, patient, agents?.runtime.replay?.cassette);
  if (provider === "custom") return checkCustom(roles, patient, agents?.runtime.custom?.command);
  return problem(`${provider} would play ${roles}, but is not part of this version yet.`, CHOOSE);
}

async function checkReplay(roles: string, { repository }: Patient, cassette: string | undefined): Promise<Finding> {
  if (cassette === undefined) {
    const mend = "Set runtime.replay.cassette in slipway/agents.yaml, or pass --cassette FOLDER to `slipway run`.";
    return note(`Recorded answers play ${roles}, but the configuration does not say where they are.`, mend);
  }
  const folder = isAbsolute(cassette) ? cassette : join(repository.root, cassette);
  await replayProvider({ folder });
  return ok(`Recorded answers from ${folder} play ${roles}.`);
}

async function checkCustom(roles: string, { io, repository }: Patient, command: readonly string[] | undefined): Promise<Finding> {
  if (command === undefined) {
    return problem(`A command of yours plays ${roles}, but none is configured.`, "Set runtime.custom.command in slipway/agents.yaml.");
  }
  const { PATH = "" } = agentEnvironment(io.env);
  const missing = missingCommand(command, { cwd: repository.root, path: PATH, visible: null });
  if (missing === null) return ok(`The command ${command.join(" ")} plays ${roles}.`);
  return problem(
    `The agent command cannot start: ${missing.message}`,
    "Install it, or correct runtime.custom.command in slipway/agents.yaml.",
  );
}
