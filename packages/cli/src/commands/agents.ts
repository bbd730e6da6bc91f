import { jsonLine } from "@slipway/protocols/surface/escape";
import { probeProviders, type ProviderFinding } from "@slipway/agents/probe";
import { requireTrust } from "@slipway/kernel/config/trust/trust";
import { openRepositoryView } from "@slipway/kernel/repository-view";
import { agentChoice } from "../agent-choice.ts";
import { assignRoles, type RoleAssignment } from "@slipway/runtime/role-assignment";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { effectiveTrust } from "../doctor/configuration.ts";
import { askTrustOf } from "../trust/ask.ts";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { oneLine } from "@slipway/protocols/narration/one-line";

/** Lists the providers, and which one would play each role and why. Calls no agent. */
export const run: RunCommand = async (args, io) => {
  const repository = await openRepositoryView(io);
  const trust = await effectiveTrust(io);
  if (trust !== null) await requireTrust(trust, askTrustOf(io, args.flag("json")));
  const configuration = trust?.configuration ?? null;
  const providers = await probeProviders({ agents: configuration?.agents ?? null, env: io.env, root: repository.root });
  const roles = await assignRoles(repository, configuration, io, agentChoice(args));
  if (args.flag("json")) io.out(jsonLine({ providers, roles }));
  else {
    const width = Math.max(...providers.map(({ name }) => name.length));
    io.out(`Providers\n${providers.map((provider) => providerLines(provider, width)).join("\n")}\n\n`);
    const wide = Math.max(...roles.map(({ protocol, role }) => `${protocol}/${role}`.length));
    io.out(`Roles\n${roles.map((cast) => roleLine(cast, wide)).join("\n")}\n`);
  }
  return EXIT.done;
};

function providerLines({ name, ready, version, access, models, fix }: ProviderFinding, width: number): string {
  const details = [...(version === null ? [] : [version]), access, ...(models.length === 0 ? [] : [`models: ${models.join(", ")} …`])];
  const first = `  ${ready ? "ready  " : "missing"}  ${name.padEnd(width)}  ${details.join("; ")}`;
  return [first, ...fix.map((action) => `${" ".repeat(width + 13)}fix: ${oneLine(action)}`)].join("\n");
}

function roleLine({ protocol, role, tier, played }: RoleAssignment, width: number): string {
  const who = `  ${`${protocol}/${role}`.padEnd(width)} (${tier})`.padEnd(width + 14);
  if ("code" in played) return `${who} no provider: ${oneLine(played.message)}`;
  const { provider, model, why } = played;
  const chosen = model === null ? "its own default model" : `${model} (${why.model})`;
  return `${who} ${provider} (${why.provider}), ${chosen}`;
}
