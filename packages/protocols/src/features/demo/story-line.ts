import type { Fact } from "@slipway/kernel/change/views/story";

export function storyLine(fact: Fact): string {
  switch (fact.fact) {
    case "waited":
      return `${fact.feature_id} waited until ${fact.for.join(" and ")} had landed: both change ${fact.over.join(", ")}`;
    case "locked":
      return `${fact.feature_id} held the lock ${fact.resources.join(", ")} until it was merged`;
    case "refused":
      return `${fact.feature_id} left its plan (${fact.paths.join(", ")}), was refused, and then kept to it`;
    case "repaired":
      return `${fact.feature_id} failed the ${fact.mode} gates ${fact.failures === 1 ? "once" : `${fact.failures} times`} and was repaired`;
  }
}
