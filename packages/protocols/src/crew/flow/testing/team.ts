import type { ProviderRequest } from "@slipway/agents/provider";
import {
  architecture,
  coder,
  docs,
  fullIntake,
  integrator,
  LETTERS_TWO,
  OWN,
  plan,
  planTask,
  qa,
  reviewer,
  security,
} from "./artifacts.ts";
import { shown, type Models, type People } from "./bench.ts";

/** Coder's answer for the task of the request: its files, and the task as implemented. */
export const builds =
  (files = LETTERS_TWO, artifacts: object = {}) =>
  (request: ProviderRequest) => {
    const id = /"id": "(T-\d+|meta)"/.exec(request.prompt)?.[1] ?? "";
    return coder(shown(request, `${OWN}tasks.yaml`), id, files, artifacts);
  };

export const reviews = ({ prompt }: ProviderRequest) => reviewer(prompt);

/** A repair that changes the same file each time. */
export const mends =
  (artifacts: object = {}) =>
  (request: ProviderRequest, turn: number) =>
    builds([{ path: "test/mend.test.sh", content: `true ${turn}\n` }], artifacts)(request);

/** Everything goes well: one task, unless there are more. */
export const TEAM: Models = {
  "spec-agent": [fullIntake()],
  architect: [architecture()],
  planner: [plan(planTask("T-001"))],
  coder: [builds()],
  reviewer: [reviews],
  qa: [qa()],
  security: [security()],
  integrator: [integrator()],
  docs: [docs()],
};

export const YES: People = {
  crew_approve_design: [{ decision: "approved" }],
  crew_review_strategy: [{ decision: "per-batch" }],
};
