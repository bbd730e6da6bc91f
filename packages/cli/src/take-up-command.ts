import { DEFAULT_PROTOCOL, PROTOCOLS } from "@slipway/protocols/protocols";

/** Goes on with a feature that failed. Features of the default protocol are retried by name; a run of another protocol is started again. */
export function takeUpCommand(featureId: string, workflow: string | undefined): string {
  return startAgainCommand(workflow) ?? `slipway retry ${featureId}`;
}

/** Null where `slipway retry` takes the features of a run up again. */
export function startAgainCommand(workflow: string | undefined): string | null {
  const entry = PROTOCOLS.find(({ started }) => workflow !== undefined && started.includes(workflow));
  return entry === undefined || entry.name === DEFAULT_PROTOCOL ? null : entry.example;
}
