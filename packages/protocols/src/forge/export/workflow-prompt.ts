/** Below its front matter. The two variables are those that FORGE's prompt files declare. */
export const WORKFLOW_PROMPT = `# Feature workflow

## Initial Request

{{USER_FEATURE}}

If the line above still shows the variable, the request is what the user wrote beside this prompt.

## Execution Mode

{{APPROVAL_MODE}}

If the line above still shows the variable, the mode is \`autonomous\`.

## Key Artifacts Reference

| artifact | path |
| --- | --- |
| agents | \`.github/agents/<agent>.agent.md\` |
| schemas | \`.github/agents/schemas.md\` |
| dispatch patterns | \`.github/agents/dispatch-patterns.md\` |
| severity words | \`.github/agents/severity-taxonomy.md\` |

## Pipeline Execution Rules

1. Run the pipeline of \`orchestrator.agent.md\`, step by step.
2. Obey APPROVAL_MODE: \`autonomous\` takes the default option of a gate and logs it; \`interactive\` asks and waits.
3. Every output is typed YAML as in \`schemas.md\`.
4. Validate each output before routing on it.
`;

export const WORKFLOW_FIELDS = {
  mode: "agent",
  agent: "orchestrator",
  description: "Takes a feature request through research, design, plan, implementation, verification and review.",
  variables: [
    { name: "USER_FEATURE", description: "The feature to build" },
    { name: "APPROVAL_MODE", description: "autonomous | interactive", default: "autonomous" },
  ],
} as const;
