import type { Feature } from "@slipway/kernel/change/feature/store";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import type { Records } from "@slipway/kernel/record/storage";
import { bundleFor } from "./evidence.ts";
import type { Io } from "@slipway/protocols/surface/io";
import { paint } from "@slipway/protocols/surface/paint";

/** What a person reads before signing: the plan's summary, the changed files, what passed, and where to see more. */
export async function reviewText(records: Records, feature: Feature, question: InboxQuestion, io: Io): Promise<string> {
  const { bold, dim } = paint(io.color);
  const { checks, totals } = await bundleFor(records, feature.id, io);
  const passed = checks.filter(({ tree, kind, status }) => tree === feature.tree && kind === "mode" && status === "pass");
  return [
    bold(feature.id),
    question.body.trimEnd(),
    `passed on this tree: ${[...new Set(passed.map(({ name }) => name))].join(", ")}; $${totals.cost_usd.toFixed(2)} so far`,
    dim(`full diff: slipway diff ${feature.id}`),
    dim(`evidence: slipway evidence ${feature.id}`),
    "",
  ].join("\n");
}
