import type { Powers } from "@slipway/kernel/config/trust/powers";
import type { ConfigurationTrust } from "@slipway/kernel/config/trust/trust";
import { PROTOCOLS } from "@slipway/protocols/protocols";

/** What a configuration may start and give away, with the files of every protocol. */
export async function allPowers({ powers, read }: ConfigurationTrust): Promise<Powers> {
  const text = async (path: string) => {
    const bytes = await read(path);
    return bytes === null ? null : Buffer.from(bytes).toString("utf8");
  };
  const own = await Promise.all(PROTOCOLS.map((protocol) => protocol.powers?.(text) ?? { programs: [], grants: [] }));
  const all = [powers, ...own];
  return { programs: all.flatMap(({ programs }) => programs), grants: all.flatMap(({ grants }) => grants) };
}
