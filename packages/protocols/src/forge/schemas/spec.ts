import { z } from "zod";
import { PUSHBACK_CHOICES, severity } from "./enums.ts";
import { criterionId, line, list, requirementId, text, uniqueBy } from "./fields.ts";

/** What a person may do about a concern. */
const pushbackOption = z.object({ id: z.enum(PUSHBACK_CHOICES), label: line });
export type PushbackOption = z.output<typeof pushbackOption>;
export const PUSHBACK_OPTIONS: readonly PushbackOption[] = [
  { id: "proceed", label: "Proceed as requested" },
  { id: "modify", label: "Change the request" },
  { id: "abandon", label: "Abandon the run" },
];

const concern = z.object({ severity, concern: text, options: list(pushbackOption, 1).default([...PUSHBACK_OPTIONS]) });
const requirement = z.object({ id: requirementId, text });
const criterion = z.object({ id: criterionId, text, requirement: requirementId });

export const specPayload = z
  .object({
    summary: text,
    requirements: list(requirement, 1).superRefine(uniqueBy(({ id }) => id, "requirement")),
    acceptance_criteria: list(criterion, 1).superRefine(uniqueBy(({ id }) => id, "criterion")),
    pushback: list(concern).default([]),
  })
  .superRefine(({ requirements, acceptance_criteria }, context) => {
    const known = new Set(requirements.map(({ id }) => id));
    for (const [index, { requirement }] of acceptance_criteria.entries()) {
      if (known.has(requirement)) continue;
      context.addIssue({
        code: "custom",
        path: ["acceptance_criteria", index, "requirement"],
        message: `no requirement has the id ${requirement}`,
      });
    }
  });
export type SpecPayload = z.output<typeof specPayload>;
