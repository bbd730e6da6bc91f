import { existsSync } from "node:fs";
import type { BoardFeature, Wait } from "@slipway/kernel/change/views/board/board";
import { readBoard } from "@slipway/kernel/open-board";
import { roleAtWork, type NarratedStep } from "../narration/step-text.ts";
import { plainNode, type RunNode, type RunWait } from "../run-view.ts";
import type { Reader } from "../surface/surface.ts";
import { workText } from "./narrate.ts";

export async function viewChanges({ records }: Reader, runId: string, rows: readonly NarratedStep[] = []): Promise<RunNode[]> {
  const { features } = await readBoard(records.layout);
  return features
    .filter(({ run }) => run === runId || run.startsWith(`${runId}/`))
    .map((feature) => nodeOf(feature, runId, records.layout.feature(feature.id), rows));
}

function nodeOf(
  { id, status, reason, at_work, waits_for, cost_usd }: BoardFeature,
  parent: string,
  folder: string,
  rows: readonly NarratedStep[],
): RunNode {
  const working = at_work === null ? null : roleAtWork(rows, at_work.step);
  return plainNode({
    id: `feature:${id}`,
    parent,
    kind: "feature",
    title: id,
    status,
    now: at_work === null ? null : workText(at_work.step, rows),
    role: working?.role ?? null,
    attempt: working?.attempt ?? null,
    since: at_work?.since ?? null,
    cost_usd,
    depends_on: waits_for?.for === "feature" ? waits_for.features.map((other) => `feature:${other}`) : [],
    waits_for: waits_for === null ? [] : [waitOf(waits_for)],
    reason: reason === "" ? null : reason,
    links: [
      { what: "evidence", to: `slipway evidence ${id}` },
      // `git clean` may have removed it; the next command that writes makes it again.
      ...(existsSync(folder) ? [{ what: "files", to: folder }] : []),
    ],
  });
}

export function waitOf(wait: Wait): RunWait {
  switch (wait.for) {
    case "person":
      return { for: "person", what: `Q${wait.number} (${wait.kind})` };
    case "feature":
      return { for: "feature", what: wait.features.join(", ") };
    case "lock":
      return { for: "lock", what: wait.resources.join(", ") };
    case "limit":
      return { for: "limit", what: `${wait.provider} until ${new Date(wait.until).toISOString()}` };
    case "slot":
    case "landing":
      return { for: wait.for, what: "" };
  }
}
