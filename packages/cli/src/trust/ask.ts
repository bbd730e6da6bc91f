import type { AskTrust, ConfigurationTrust } from "@slipway/kernel/config/trust/trust";
import type { Io } from "@slipway/protocols/surface/io";
import { personOf } from "@slipway/protocols/surface/caller";
import { confirm, isCancel } from "../terminal/prompts.ts";
import { powerLines, trustText } from "./text.ts";

/** Asks the person at the terminal; undefined where there is none, and with --json, whose output is for a program. */
export function askTrustOf(io: Io, json: boolean): AskTrust | undefined {
  if (io.trusts !== undefined || !io.interactive || json) return io.trusts;
  return async (trust) => {
    io.err(await trustText(trust));
    const yes = await confirm({ message: "Trust it, and start these programs?", initialValue: false });
    if (isCancel(yes) || !yes) return false;
    await keepTrust(trust, io);
    return true;
  };
}

export async function keepTrust(trust: ConfigurationTrust, io: Pick<Io, "env">): Promise<void> {
  await trust.keep(personOf(io).id, await powerLines(trust));
}
