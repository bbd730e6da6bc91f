import { explainSelection, type Explained } from "@slipway/agents/select";
import type { Role } from "@slipway/agents/role";
import { SlipwayError } from "./errors.ts";
import { toFailure, type Failure } from "@slipway/durable/errors";
import type { Configuration } from "@slipway/kernel/config/load";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";
import type { RepositoryView } from "@slipway/kernel/repository-view";
import { assertKnownRoles, everyRole, roleKeys } from "@slipway/protocols/dispatch/role-keys";
import { protocolRole } from "@slipway/protocols/dispatch/roles";
import { protocolModels } from "./protocol-models.ts";
import type { AgentChoice } from "./agents.ts";
import type { Caller } from "@slipway/protocols/surface/caller";

/** The provider that would play a role now, and why; or why none can. */
export interface RoleAssignment {
  readonly protocol: string;
  readonly role: string;
  readonly tier: Role["tier"];
  readonly played: Explained | Failure;
}

export async function assignRoles(
  repository: Pick<RepositoryView, "readerAt">,
  configuration: Configuration | null,
  io: Caller,
  choice: AgentChoice,
): Promise<RoleAssignment[]> {
  const agents = configuration?.agents ?? null;
  const base = configuration?.policy.worktree.base_branch;
  const read = base === undefined ? noFile : committedOrNone(repository.readerAt(`refs/heads/${base}`));
  await assertKnownRoles(agents);
  return Promise.all(
    (await everyRole()).map(async ({ protocol, role }) => {
      const { tier } = await protocolRole(protocol, role, read);
      const keys = roleKeys({ protocol, role });
      try {
        // What a protocol would use by itself is nobody's choice yet.
        const configured = (await protocolModels(protocol, read))[role];
        const own = configured?.named == null ? undefined : configured;
        return { protocol, role, tier, played: explainSelection(role, { flags: choice, env: io.env, agents, protocol: own, keys, tier }) };
      } catch (error) {
        if (error instanceof SlipwayError) return { protocol, role, tier, played: toFailure(error) };
        throw error;
      }
    }),
  );
}

const noFile: ReadFile = async () => null;

/** An uncommitted role file counts as missing. */
function committedOrNone(read: ReadFile): ReadFile {
  return (path) =>
    read(path).catch((error: unknown) => {
      if (error instanceof SlipwayError && (error.code === "config_missing" || error.code === "git_failed")) return null;
      throw error;
    });
}
