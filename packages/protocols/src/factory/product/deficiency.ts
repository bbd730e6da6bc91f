import { z } from "zod";

const deficiencySchema = z.strictObject({
  /** JSON pointer to what is wrong. */
  path: z.string(),
  /** The name of the field it is in. */
  field: z.string(),
  severity: z.enum(["ERROR", "WARNING"]),
  message: z.string(),
});

export type Deficiency = z.infer<typeof deficiencySchema>;
export type Severity = Deficiency["severity"];

export interface ValidationReport {
  readonly errors: readonly Deficiency[];
  readonly warnings: readonly Deficiency[];
}

/** What a rule has found, before anybody says how bad it is. */
export interface Finding {
  readonly path: string;
  readonly message: string;
}

export function deficiency({ path, message }: Finding, severity: Severity): Deficiency {
  const field = path
    .split("/")
    .slice(1)
    .findLast((key) => !/^\d+$/.test(key));
  return { path, field: field ?? "spec", severity, message };
}
