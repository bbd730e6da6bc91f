import { execFileSync } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { openRepositoryTrust } from "../../../repository-trust.ts";
import { placesIn, type Environment } from "../../../host/places.ts";
import { parseAgents, type AgentsConfig } from "../../agents.ts";
import { AGENTS_FILE } from "../../load.ts";
import { filesOnDisk } from "../configuration-files.ts";
import { trustFile, type TrustEntry } from "../store.ts";
import { trustSubject } from "../subject.ts";
import type { AskTrust } from "../trust.ts";

/** A person who trusts every configuration they are asked about. */
export const trustAnything: AskTrust = async (trust) => {
  await trust.keep("test", []);
  return true;
};

/** Their answer in advance about the files on disk, without git: for a new repository whose files are all committed. */
export function trustFilesOf(root: string, env: Environment): void {
  const files = filesOnDisk(root);
  const subject = trustSubject(files, agentsIn(files.get(AGENTS_FILE)), root);
  const repository = join(root, ".git");
  const file = trustFile(placesIn(env).configHome, repository);
  const entry: TrustEntry = { ...subject, powers: [], by: "test", at: new Date(0).toISOString() };
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, JSON.stringify({ repository, trusted: [entry] }), { mode: 0o600 });
}

/** An invalid file is refused for itself. */
function agentsIn(bytes: Uint8Array | undefined): AgentsConfig | null {
  try {
    return bytes === undefined ? null : parseAgents(AGENTS_FILE, bytes);
  } catch {
    return null;
  }
}

/** Their answer in advance, for a program that starts as a process of its own. */
export async function trustNow(cwd: string, env: Environment): Promise<void> {
  // A repository that root has given to the user it will start the program as.
  const trust = await openRepositoryTrust({ cwd, env: { ...env, SUDO_UID: String(statSync(cwd).uid) } });
  if (await trust.trusted()) return;
  await trustAnything(trust);
  const { configHome } = placesIn(env);
  const { uid, gid } = statSync(join(configHome, ".."));
  // For a program that root starts as another user.
  if (process.getuid?.() === 0 && uid !== 0) execFileSync("chown", ["-R", `${uid}:${gid}`, configHome]);
}
