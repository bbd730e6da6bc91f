import type { SpecFinding, Severity } from "../deficiency.ts";
import type { Outline } from "../outline.ts";
import { dependenciesAreAcyclic, dependenciesExist, taskIdsAreUnique } from "./references.ts";
import { errorSurfacesAreSpecific, sketchesAreComplete } from "./sketch.ts";
import {
  epicsHaveStoriesAndSuccess,
  pillarsHaveEpics,
  requiredFieldsAreThere,
  storiesHaveTasks,
  tasksHaveAcceptanceCriteria,
  tasksHaveSubtasks,
} from "./structure.ts";
import { acceptanceIsObservable, descriptionsSayEnough, subtasksAreDistinct } from "./wording.ts";

export interface SpecCriterion {
  readonly severity: Severity;
  readonly check: (outline: Outline) => readonly SpecFinding[];
}

/** The criteria of a complete spec, 1 to 14. An error prevents emission; a warning is shown to the person at the gate. */
export const CRITERIA: readonly SpecCriterion[] = [
  { severity: "ERROR", check: pillarsHaveEpics },
  { severity: "ERROR", check: epicsHaveStoriesAndSuccess },
  { severity: "ERROR", check: storiesHaveTasks },
  { severity: "ERROR", check: tasksHaveSubtasks },
  { severity: "ERROR", check: tasksHaveAcceptanceCriteria },
  { severity: "ERROR", check: sketchesAreComplete },
  { severity: "ERROR", check: taskIdsAreUnique },
  { severity: "ERROR", check: dependenciesExist },
  { severity: "ERROR", check: dependenciesAreAcyclic },
  { severity: "ERROR", check: requiredFieldsAreThere },
  { severity: "WARNING", check: descriptionsSayEnough },
  { severity: "WARNING", check: acceptanceIsObservable },
  { severity: "WARNING", check: subtasksAreDistinct },
  { severity: "WARNING", check: errorSurfacesAreSpecific },
];
