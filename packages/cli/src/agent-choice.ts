import type { AgentChoice } from "@slipway/runtime/agents";
import type { Arguments } from "@slipway/protocols/surface/command";

/** The options of the command line that choose provider and model. */
export function agentChoice(args: Arguments): AgentChoice {
  return {
    provider: args.text("agent-provider") ?? args.text("provider"),
    model: args.text("agent-model"),
    configEnv: args.text("provider-config-env"),
    cassette: args.text("cassette"),
    record: args.text("record"),
  };
}
