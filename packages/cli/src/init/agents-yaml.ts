/** No provider is guessed: the person decides which one may read the code and spend money. */
export const AGENTS_YAML = `# Providers of the roles. Written by \`slipway init\`; it is yours to edit.
# \`slipway run\` reads this file from the last commit of the base branch, so commit what you change.
version: 1

# A role may have its own instructions, for example
#   planner: { system_prompt_path: slipway/prompts/planner.system.md }
roles: {}

# Choose a provider here, with SLIPWAY_AGENT_PROVIDER, or with \`slipway run --agent-provider\`. For example
#   runtime:
#     default_provider: custom
#     custom: { command: ["my-agent", "--json"] }   # one JSON request on stdin, one JSON reply on stdout
# or recorded answers:
#   runtime:
#     default_provider: replay
#     replay: { cassette: slipway/cassettes/example }
runtime: {}
`;
