import { DEFAULT_PROTOCOL, PROTOCOLS } from "@slipway/protocols/protocols";

/** The command that continues a failed feature: `slipway retry` where it can; other protocols are started again. */
export function continueCommand(featureId: string, workflow: string | undefined): string {
  return startAgainCommand(workflow) ?? `slipway retry ${featureId}`;
}

/** Null if `slipway retry` continues the features of the run. */
export function startAgainCommand(workflow: string | undefined): string | null {
  const entry = PROTOCOLS.find(({ started }) => workflow !== undefined && started.includes(workflow));
  return entry === undefined || isRetried(entry.started[0]) ? null : entry.example;
}

/** Changes of the default protocol, and those of a request: they have a plan and a worktree like any other. */
export function isRetried(workflow: string): boolean {
  const entry = PROTOCOLS.find(({ started }) => started.includes(workflow));
  return entry?.name === DEFAULT_PROTOCOL || entry?.takes === "a request";
}
