import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { openApprovalKey } from "@slipway/kernel/change/land/approvals/key";
import { placesOf } from "@slipway/protocols/surface/caller";
import { ok, problem, type DoctorFinding, type DoctorSubject } from "./check.ts";
import { expandHome } from "@slipway/kernel/config/home";

/** Does not create a key: the first approval does. */
export async function checkApprovalKey(subject: DoctorSubject): Promise<DoctorFinding[]> {
  const { io, repository } = subject;
  const { configHome } = placesOf(io);
  const path = join(configHome, "slipway", "keys", "approval.pem");
  if (isBelow(repository.root, path)) {
    return [
      problem(
        `The approval key would be at ${path}, inside the repository, where agents work.`,
        "Set XDG_CONFIG_HOME to a folder outside the repository.",
      ),
    ];
  }
  const shown = ((await subject.configuration())?.policy.sandbox.read_only ?? []).find((folder) =>
    isBelow(expandHome(folder, io.env), path),
  );
  if (shown !== undefined) {
    return [
      problem(
        `The approval key is below ${shown}, which slipway/policy.yaml shows to every gate.`,
        "Name the toolchain's own folder in sandbox.read_only instead.",
      ),
    ];
  }
  if (!existsSync(path)) return [ok(`There is none yet; the first approval creates it at ${path}.`)];
  const { id } = await openApprovalKey({ configHome, repositoryRoot: repository.root });
  return [ok(`${path}, outside the repository and readable by you alone (key ${id.slice(0, 12)}).`)];
}

function isBelow(folder: string, path: string): boolean {
  return nearestReal(path).startsWith(`${nearestReal(folder)}/`);
}

/** Resolves links as far as the path exists. */
function nearestReal(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  return path === dirname(path) ? path : join(nearestReal(dirname(path)), path.slice(dirname(path).length));
}
