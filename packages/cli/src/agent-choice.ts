import type { AgentChoice } from "@slipway/runtime/agents";
import type { Arguments } from "@slipway/protocols/surface/command";

/** What the command line says about who plays the roles. */
export function agentChoice(args: Arguments): AgentChoice {
  return {
    provider: args.text("agent-provider") ?? args.text("provider"),
    model: args.text("agent-model"),
    configEnv: args.text("provider-config-env"),
    cassette: args.text("cassette"),
    record: args.text("record"),
  };
}
