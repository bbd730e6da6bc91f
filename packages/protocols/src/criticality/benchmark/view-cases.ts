import { plainNode, type RunNode } from "../../run-view.ts";
import type { Reader } from "../../surface/surface.ts";
import { BENCHMARK_CASE, caseOf } from "./case-step.ts";

/** The cases that a benchmark has begun, by name; none for other runs. */
export async function viewCases({ engine }: Pick<Reader, "engine">, runId: string): Promise<RunNode[]> {
  const begun = await engine.runs({ rootRunId: runId, workflow: BENCHMARK_CASE });
  const sorted = begun.toSorted((a, b) => a.runId.localeCompare(b.runId, "en"));
  return sorted.map((info) => {
    const title = caseOf(info.runId.split("/")[1] ?? null) ?? info.runId;
    return plainNode({ id: `case:${title}`, parent: runId, kind: "task", title, status: info.status });
  });
}
