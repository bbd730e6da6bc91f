import { SlipwayError } from "@slipway/durable/errors";
import { agentChoice } from "../agent-choice.ts";
import { assertAgents } from "@slipway/runtime/agents";
import type { Arguments, RunCommand } from "../command.ts";
import { conduct } from "../conduct.ts";
import { specsFor } from "../specs.ts";
import { startFactory } from "../start-factory.ts";
import { startRun } from "@slipway/runtime/start-run";
import { reasonFrom } from "../unsandboxed.ts";
import { withSession } from "../with-session.ts";

export const run: RunCommand = async (args, io) => {
  if (protocolOf(args) === "factory") return startFactory(args, io, onePage(args));
  const specs = await specsFor(args, io);
  const agents = agentChoice(args);
  const unsandboxedReason = reasonFrom(args);
  const json = args.flag("json");
  return withSession({ io, json, agents, unsandboxedReason }, async (session, progress) => {
    await assertAgents({ kernel: session.kernel, io, choice: agents, protocol: "features" });
    const runId = await startRun(session, specs, { skipBaseGates: args.flag("skip-base-gates") });
    if (!json) io.out(`run ${runId}\n`);
    return await conduct({ session, runId, io, json, progress });
  });
};

function protocolOf(args: Arguments): string {
  const name = args.text("protocol") ?? "features";
  if (name === "features" || name === "factory") return name;
  throw new SlipwayError("invalid_cli_args", `slipway run: there is no protocol ${JSON.stringify(name)}.`, {
    suggested_next_actions: ["Leave --protocol out, or name features or factory."],
  });
}

/** The factory works from one page. */
function onePage(args: Arguments): string {
  const file = args.text("fi");
  const named = [...args.positionals, ...(file === undefined ? [] : [file])];
  const [page] = named;
  if (named.length === 1 && page !== undefined && args.text("fl") === undefined) return page;
  throw new SlipwayError("invalid_cli_args", `slipway run --protocol factory takes one page, and ${named.length} were named.`, {
    suggested_next_actions: ["Name one: `slipway run --protocol factory SPEC.md`."],
  });
}
