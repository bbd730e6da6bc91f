import { trustedRepositories } from "@slipway/kernel/config/trust/store";
import { openRepositoryTrust, type RepositoryTrust } from "@slipway/kernel/repository-trust";
import { allPowers } from "@slipway/runtime/powers";
import { placesOf } from "@slipway/protocols/surface/caller";
import type { Arguments, RunCommand } from "@slipway/protocols/surface/command";
import { jsonLine } from "@slipway/protocols/surface/escape";
import { EXIT, type ExitCode } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";
import { confirm, isCancel } from "../terminal/prompts.ts";
import { keepTrust } from "../trust/ask.ts";
import { shortDigest, trustText } from "../trust/text.ts";

/** Shows what the configuration would start, and keeps a person's word that they trust it. Starts nothing itself. */
export const run: RunCommand = async (args, io) => {
  if (args.flag("list")) return list(args, io);
  const trust = await openRepositoryTrust(io);
  if (args.flag("remove")) return remove(trust, args, io);
  const json = args.flag("json");
  const before = await trust.trusted();
  const shown = json ? null : await trustText(trust);
  const difference = json ? await report(trust) : null;
  if (shown !== null) io.out(`${shown}\n`);
  const trusted = before || args.flag("yes") || (!json && io.interactive && (await agreed(trust)));
  if (trusted && !before) await keepTrust(trust, io);
  if (json) io.out(jsonLine({ ...difference, trusted }));
  else io.out(`${ending(trust, before, trusted)}\n`);
  return trusted ? EXIT.done : EXIT.personNeeded;
};

async function report(trust: RepositoryTrust) {
  const { programs, grants } = await allPowers(trust);
  const last = await trust.last();
  const { digest, files } = trust.subject;
  return { repository: trust.root, branch: trust.branch, digest, files, programs, grants, last_trusted: last };
}

/** The default is no, so that Enter alone trusts nothing. */
async function agreed(trust: RepositoryTrust): Promise<boolean> {
  const yes = await confirm({ message: `Trust configuration ${shortDigest(trust)}?`, initialValue: false });
  return !isCancel(yes) && yes;
}

function ending(trust: RepositoryTrust, before: boolean, trusted: boolean): string {
  if (before) return "You have trusted exactly this configuration.";
  if (!trusted)
    return "Not trusted: no program of this repository is started.\n  next: slipway trust (on a terminal), or slipway trust --yes";
  const of = trust.branch === null ? "your working tree" : trust.branch;
  return `Trusted: the configuration ${shortDigest(trust)} of ${of}. Any change to it is asked about again.`;
}

async function list(args: Arguments, io: Io): Promise<ExitCode> {
  const repositories = await trustedRepositories(placesOf(io).configHome);
  if (args.flag("json")) io.out(jsonLine(repositories));
  else if (repositories.length === 0) io.out("You have trusted no configuration.\n");
  else
    for (const { repository, trusted } of repositories)
      for (const { digest, at, by } of trusted) io.out(`${digest.slice(0, 12)}  ${at.slice(0, 10)}  ${by}  ${repository}\n`);
  return EXIT.done;
}

async function remove(trust: RepositoryTrust, args: Arguments, io: Io): Promise<ExitCode> {
  const removed = await trust.forget();
  if (args.flag("json")) io.out(jsonLine({ ok: true, removed }));
  else
    io.out(
      removed ? "No configuration of this repository is trusted any more.\n" : "You had trusted no configuration of this repository.\n",
    );
  return EXIT.done;
}
