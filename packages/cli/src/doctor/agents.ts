import { openProvider } from "@slipway/agents/open";
import { findProgram } from "@slipway/agents/program";
import type { Explained } from "@slipway/agents/select";
import { fromFailure } from "@slipway/durable/errors";
import type { AgentsConfig } from "@slipway/kernel/config/agents";
import { assignRoles, type RoleAssignment } from "@slipway/runtime/role-assignment";
import { note, ok, problem, type DoctorFinding, type DoctorSubject } from "./check.ts";
import { findingFromError } from "./error-texts.ts";
import { isTrusted, NOT_TRUSTED } from "./trust.ts";

const CHOOSE =
  "Set runtime.default_provider in slipway/agents.yaml, or pass --agent-provider to `slipway run`; `slipway agents` lists them.";

/** Which agents would play the roles of a run without options. Calls no agent. */
export async function checkAgents(subject: DoctorSubject): Promise<DoctorFinding[]> {
  const configuration = await subject.configuration();
  if (configuration === null) return [note("Not checked, because the configuration cannot be used.")];
  if (!(await isTrusted(subject))) return [NOT_TRUSTED];
  const cast = await assignRoles(subject.repository, configuration, subject.io, {});
  const alike = Map.groupBy(cast, ({ played }) => ("code" in played ? played.code : JSON.stringify([played.provider, played.model])));
  return Promise.all([...alike.values()].map((roles) => checkPlayed(roles, subject, configuration.agents)));
}

function checkPlayed(
  cast: readonly RoleAssignment[],
  subject: DoctorSubject,
  agents: AgentsConfig | null,
): Promise<DoctorFinding> | DoctorFinding {
  const roles = rolesText(cast);
  const [first] = cast;
  if (first === undefined) return note("There are no roles.");
  const { played } = first;
  if (!("code" in played)) return checkProvider(played, roles, subject, agents);
  // No provider is configured: that can be chosen when a run starts, so it is not a problem.
  if (played.code === "agent_provider_not_configured") return note(`No provider is chosen yet for ${roles}.`, CHOOSE);
  throw fromFailure(played);
}

/** Opening a provider checks everything that can be checked before a call. */
async function checkProvider(
  selection: Explained,
  roles: string,
  { io, repository }: DoctorSubject,
  agents: AgentsConfig | null,
): Promise<DoctorFinding> {
  const { provider, model } = selection;
  const cassette = agents?.runtime.replay?.cassette;
  if (provider === "replay" && cassette === undefined) {
    const fix = "Set runtime.replay.cassette in slipway/agents.yaml, or pass --cassette FOLDER to `slipway run`.";
    return note(`Recorded answers play ${roles}, but the configuration does not say where they are.`, fix);
  }
  const [program] = provider === "custom" ? (agents?.runtime.custom?.command ?? []) : [];
  if (program !== undefined && findProgram(program, io.env["PATH"], repository.root) === null) {
    const fix = "Install it, or correct runtime.custom.command in slipway/agents.yaml.";
    return problem(`The agent command that would play ${roles} cannot start: there is no program "${program}".`, fix);
  }
  try {
    await openProvider({ agents, env: io.env, root: repository.root, cwd: io.cwd }, selection);
  } catch (error) {
    return { ...findingFromError(error), finding: `${findingFromError(error).finding} (It would play ${roles}.)` };
  }
  if (provider === "replay") return ok(`Recorded answers from ${cassette} play ${roles}.`);
  return ok(`${provider}${model === null ? "" : ` with ${model}`} plays ${roles}.`);
}

/** Each protocol with its roles, such as `features: builder, qa`. */
function rolesText(cast: readonly RoleAssignment[]): string {
  const byProtocol = Map.groupBy(cast, ({ protocol }) => protocol);
  return [...byProtocol].map(([protocol, roles]) => `${protocol}: ${roles.map(({ role }) => role).join(", ")}`).join("; ");
}
