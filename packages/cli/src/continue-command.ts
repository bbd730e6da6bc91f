import { DEFAULT_PROTOCOL, PROTOCOLS } from "@slipway/protocols/protocols";

/** The command that continues a failed feature: `slipway retry` for the default protocol; other protocols are started again. */
export function continueCommand(featureId: string, workflow: string | undefined): string {
  return startAgainCommand(workflow) ?? `slipway retry ${featureId}`;
}

/** Null if `slipway retry` continues the features of the run. */
export function startAgainCommand(workflow: string | undefined): string | null {
  const entry = PROTOCOLS.find(({ started }) => workflow !== undefined && started.includes(workflow));
  return entry === undefined || entry.name === DEFAULT_PROTOCOL ? null : entry.example;
}
