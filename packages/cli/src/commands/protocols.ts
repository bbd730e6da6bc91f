import { PROTOCOLS } from "@slipway/protocols/protocols";
import { roleNames } from "@slipway/protocols/dispatch/roles";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { jsonLine } from "@slipway/protocols/surface/escape";

export const run: RunCommand = async (args, io) => {
  const protocols = await Promise.all(
    PROTOCOLS.map(async ({ name, summary, takes, delivers }) => ({ name, summary, takes, delivers, roles: await roleNames(name) })),
  );
  if (args.flag("json")) io.out(jsonLine({ protocols }));
  else
    for (const { name, summary, takes, delivers, roles } of protocols) {
      io.out(`${name}: ${summary}\n  takes ${takes}, delivers ${delivers}; roles: ${roles.join(", ")}\n`);
      io.out(`  slipway run --protocol ${name} …\n`);
    }
  return EXIT.done;
};
