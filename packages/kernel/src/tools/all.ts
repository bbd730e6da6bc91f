import { collisionsTools } from "./collisions.ts";
import { evidenceTools } from "./evidence.ts";
import { featureTools } from "./feature.ts";
import { gatesTools } from "./gates.ts";
import { locksTools } from "./locks.ts";
import { mergeTools } from "./merge.ts";
import { patchTools } from "./patch.ts";
import { planTools } from "./plan.ts";
import { qaTools } from "./qa.ts";
import { repoTools } from "./repo.ts";
import { reportTools } from "./report.ts";
import type { AnyTool } from "./tool.ts";

/** Every tool; `assembleTools` checks that they are exactly those of the catalog. */
export const ALL_TOOLS: readonly AnyTool[] = [
  ...featureTools,
  ...planTools,
  ...locksTools,
  ...collisionsTools,
  ...repoTools,
  ...patchTools,
  ...gatesTools,
  ...qaTools,
  ...evidenceTools,
  ...mergeTools,
  ...reportTools,
];
