import type { PackChanges } from "@slipway/agents/packs/changes";
import type { PackRule } from "@slipway/kernel/host/file-views/rules";
import type { Workspace } from "../../dispatch/workspace.ts";
import { grantedWorkspace } from "../../firewall/granted-workspace.ts";
import type { RoleGrant } from "../../firewall/role-grant.ts";
import type { Reply } from "../../dispatch/dispatcher.ts";
import { outputSchemaOf, type AgentOutput } from "../contract/output.ts";
import type { CrewRun } from "../crew-run.ts";
import { grantOf, RUN_LOG } from "../grants/write-grants.ts";
import type { SessionFiles } from "../session/artifact-checks.ts";
import { sessionPath } from "../session/session-name.ts";
import { STATUS_FILE } from "./accept-files.ts";
import type { CrewAnswer, DispatchOrder } from "./order.ts";
import { OWN_SESSION, withRealNames } from "./own-session.ts";
import { creatableFiles, creatableFolders, unlistedShare } from "./pack-rules.ts";

export interface Opened {
  readonly grant: RoleGrant;
  /** As recorded, without the run log. */
  readonly files: SessionFiles;
}

/** The recorded files of the session, as the agent gets them. */
export async function openSession(
  { files, folder }: Pick<CrewRun, "files" | "folder">,
  { role, state, mode }: DispatchOrder,
): Promise<Opened> {
  const names = (await files.paths()).filter((name) => name !== RUN_LOG);
  const texts = await Promise.all(names.map(async (name) => [name, (await files.text(name)) ?? ""] as const));
  return { grant: grantOf(role, { session: folder, state, mode }), files: Object.fromEntries(texts) };
}

/** The repository as the change has it now, with the session's files at their real path. Other sessions are not there. */
export async function crewWorkspace(
  { change, id, folder }: CrewRun,
  order: DispatchOrder,
  opened: Opened,
  adopt: (output: AgentOutput, changes: PackChanges) => Reply<CrewAnswer>,
): Promise<Workspace<CrewAnswer>> {
  const { kernel } = change.services;
  const { tree } = await kernel.features.context(id);
  const { grant } = opened;
  const given = Object.fromEntries(Object.entries(opened.files).map(([name, text]) => [`${sessionPath(folder)}${name}`, text]));
  return grantedWorkspace<AgentOutput, CrewAnswer>(kernel.repository, {
    tree,
    grant,
    unlisted: unlistedShare(grant),
    creatable: creatableFiles(grant, folder),
    given,
    moreRules: [...creatableFolders(grant, folder), ...(grant.mayWrite(`${sessionPath(folder)}${STATUS_FILE}`) ? [OWN_SESSION_RULE] : [])],
    named: (changes) => withRealNames(changes, folder),
    outputSchema: outputSchemaOf(order.role, order.taskId),
    adopt,
  });
}

/** What may be written there is judged by the grant, under the real names. */
const OWN_SESSION_RULE: PackRule = {
  path: sessionPath(OWN_SESSION).slice(0, -1),
  level: "FULL",
  permission: "write",
  reason: "another name of the session's folder",
};
