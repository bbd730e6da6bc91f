import { execFileSync, spawnSync } from "node:child_process";
import { PROGRAM } from "slipway/testing/program";

/** Nobody's, on most machines. */
const ORDINARY_USER = 4242;

/** A command as this user, for root. */
export function asUser(user: number, command: readonly string[]): [program: string, ...args: string[]] {
  return ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--", ...command];
}

export function giveTo(user: number, path: string): void {
  execFileSync("chown", ["-R", `${user}:${user}`, path]);
}

/** Users to attack as: whoever runs the tests, and where that is root an ordinary one, too, if that one can read the sources. */
export function attackers(): readonly (readonly [name: string, user: number | undefined])[] {
  const own = ["whoever runs the tests", undefined] as const;
  if (process.getuid?.() !== 0) return [own];
  const [program, ...args] = asUser(ORDINARY_USER, [process.execPath, ...PROGRAM, "--version"]);
  const { status, stderr, error } = spawnSync(program, args, { cwd: "/", env: {}, encoding: "utf8" });
  if (status === 0) return [own, ["an ordinary user", ORDINARY_USER]];
  console.warn(`Attacks as an ordinary user are skipped: ${error?.message ?? stderr}`);
  return [own];
}
