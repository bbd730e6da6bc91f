import { SlipwayError } from "@slipway/agents/errors";
import type { Arguments } from "./command.ts";

/** The reason from `--allow-unsandboxed`; undefined without the option. */
export function reasonFrom(args: Arguments): string | undefined {
  const reason = args.text("allow-unsandboxed");
  if (reason?.trim() !== "") return reason;
  throw new SlipwayError("invalid_cli_args", "--allow-unsandboxed needs a reason; it is recorded with your name.", {
    suggested_next_actions: ["Say why, for example `--allow-unsandboxed 'no user namespaces in this container'`."],
  });
}
