import { SlipwayError } from "../../schema/errors.ts";
import { z } from "zod";
import type { Operation } from "../../record/operations/operation.ts";
import { leaseHeld } from "../../record/run-lease/holder.ts";
import { removeWork, type RemovalStep } from "./delete-steps.ts";
import { surveyFeature, type Survey } from "./delete-survey.ts";
import type { FeatureDependencies } from "../feature/dependencies.ts";

const cleanInput = z.strictObject({ feature_id: z.string() });

export interface Cleaned {
  readonly feature_id: string;
  readonly steps: readonly RemovalStep[];
}

/**
 * What cleaning a merged feature would remove, and the reasons against it: a person's edits, or a branch that has moved or is checked out.
 */
export async function cleanSurvey(dependencies: FeatureDependencies, id: string): Promise<Survey> {
  const survey = await surveyFeature(dependencies, id);
  const { status } = survey.feature;
  if (status === "merged") return survey;
  throw new SlipwayError("delete_refused", `"${id}" is ${status}; only merged features can be cleaned.`, {
    feature_id: id,
    suggested_next_actions: [`slipway delete ${id}`],
  });
}

/** Removes the worktree and branch of a merged feature if they contain exactly the merged content. Row, folder and evidence stay. */
export function cleanOperation(dependencies: FeatureDependencies): Operation<z.infer<typeof cleanInput>, Cleaned, Cleaned> {
  return {
    name: "feature.clean",
    roles: ["person", "system"],
    input: cleanInput,
    async effect({ feature_id }, { operationId, at }) {
      const survey = await cleanSurvey(dependencies, feature_id);
      const { reasons, live } = survey;
      if (live !== null) throw leaseHeld(live);
      if (reasons.length > 0) {
        const listed = reasons.map(({ message }) => message).join("; ");
        throw new SlipwayError("delete_refused", `The worktree and branch of "${feature_id}" were kept: ${listed}.`, {
          feature_id,
          reasons,
        });
      }
      return { feature_id, steps: await removeWork(dependencies, survey, { run: survey.feature.run_id, operationId, at }) };
    },
    commit: async (_tx, _input, cleaned) => cleaned,
    event: (_input, { feature_id, steps }) => ({ feature_id, steps: steps.map((step) => ({ ...step })) }),
  };
}
