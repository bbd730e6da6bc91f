import { SlipwayError } from "@slipway/agents/errors";
import type { Arguments } from "./command.ts";

/** Why gates may run without a sandbox, in the person's words; undefined when they may not. */
export function reasonFrom(args: Arguments): string | undefined {
  const reason = args.text("allow-unsandboxed");
  if (reason?.trim() !== "") return reason;
  throw new SlipwayError("invalid_cli_args", "--allow-unsandboxed needs a reason; it is recorded with your name.", {
    suggested_next_actions: ["Say why, for example `--allow-unsandboxed 'no user namespaces in this container'`."],
  });
}
