import type { OptionSpec } from "./command.ts";

/** The choice of agents and cassettes. */
export const agentOptions: Record<string, OptionSpec> = {
  "agent-provider": {
    type: "string",
    hint: "NAME",
    describe: "who plays the roles: claude, codex, gemini, opencode, api, acp:NAME, custom, manual or replay",
  },
  provider: { type: "string", hint: "NAME", describe: "the same as --agent-provider" },
  "agent-model": { type: "string", hint: "MODEL", describe: "the model the provider should use" },
  "provider-config-env": { type: "string", hint: "VARIABLE", describe: "environment variable that holds the provider's configuration" },
  cassette: { type: "string", hint: "FOLDER", describe: "recorded answers for the replay provider" },
  record: { type: "string", hint: "FOLDER", describe: "write every agent's answer to this cassette as well" },
};

export const unsandboxed: OptionSpec = {
  type: "string",
  hint: "REASON",
  describe: "run gates without a sandbox; the reason is recorded with your name",
};

export const skipBaseGates: OptionSpec = {
  type: "boolean",
  describe: "call agents without trying the gates on the base branch first",
};

/** The options of every command that starts a run with agents. */
export const runOptions: Record<string, OptionSpec> = {
  ...agentOptions,
  "allow-unsandboxed": unsandboxed,
  "skip-base-gates": skipBaseGates,
};
