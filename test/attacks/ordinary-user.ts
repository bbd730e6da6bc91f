import { execFileSync, spawnSync } from "node:child_process";
import { PROGRAM } from "slipway/testing/program";

/** An unused user id on most machines. */
const ORDINARY_USER = 4242;

/** A command as this user, for root. */
export function asUser(user: number, command: readonly string[]): [program: string, ...args: string[]] {
  return ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--", ...command];
}

export function giveTo(user: number, path: string): void {
  execFileSync("chown", ["-R", `${user}:${user}`, path]);
}

/** Users to attack as: the current one, and for root also an ordinary one, if that one can read the sources. */
export function attackers(): readonly (readonly [name: string, user: number | undefined])[] {
  const own = ["the user who runs the tests", undefined] as const;
  if (process.getuid?.() !== 0) return [own];
  const [program, ...args] = asUser(ORDINARY_USER, [process.execPath, ...PROGRAM, "--version"]);
  const { stderr, error } = spawnSync(program, args, { cwd: "/", env: { HOME: "/" }, encoding: "utf8" });
  const reason = error?.message ?? /^.*(?:EACCES|Permission denied|Cannot find module).*$/m.exec(stderr)?.[0];
  // Any other problem must fail the attacks, not skip them.
  if (reason === undefined) return [own, ["an ordinary user", ORDINARY_USER]];
  console.warn(`Attacks as an ordinary user are skipped: ${reason}`);
  return [own];
}
