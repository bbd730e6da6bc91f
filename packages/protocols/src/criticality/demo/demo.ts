import { journalSize } from "@slipway/kernel/record/journal/heads";
import type { Demo } from "../../demo/demo.ts";
import { demoFolder } from "../../demo/files.ts";
import { lastLines } from "../../demo/last-lines.ts";
import type { CriticalityResult } from "../protocol.ts";
import { readArtifacts, type RunArtifacts } from "../run-artifacts.ts";
import { shortName } from "../steps.ts";
import { readRun } from "../store.ts";

interface ProgramStory {
  readonly result: CriticalityResult | null;
  readonly artifacts: RunArtifacts;
  readonly journal: { readonly events: number; readonly head: string };
}

export const criticalityDemo: Demo<ProgramStory> = {
  files: {
    folder: demoFolder("criticality"),
    published: null,
    packages: ["fast-check", "pure-rand"],
    commitMessage: "An empty project",
    gates: "the program's tests",
    request: { text: "accounts and transfers" },
  },
  writtenBy: "npm run record:demo-criticality",
  excerpt: ({ body }) => body.split("\n").slice(0, EXCERPT_LINES),
  async summarise({ records }, { runId, outcome }) {
    const row = await readRun(records.database.db, runId);
    return {
      result: outcome.status === "completed" ? (outcome.value as CriticalityResult) : null,
      artifacts: readArtifacts(row?.artifacts ?? "{}"),
      journal: await journalSize(records),
    };
  },
  close([{ result, artifacts, journal }], finished) {
    const merged = result?.status === "merged" ? result : null;
    return {
      done: merged !== null,
      lines: ["", ...storyLines(artifacts), ...lastLines({ journal, tryNext: TRY_NEXT, begin: "slipway criticality" }, finished)],
      json: {
        status: result?.status ?? "waiting",
        functions: artifacts.functions.length,
        escalations: merged?.escalations ?? 0,
        claims: Object.fromEntries(artifacts.claims.map(({ id, status }) => [id, status])),
        transforms: { accepted: artifacts.accepted.length, reverted: artifacts.reverted.length },
        commit: merged?.commit ?? null,
        elapsed_ms: finished.elapsedMs,
        journal,
      },
    };
  },
};

const EXCERPT_LINES = 6;

const TRY_NEXT = {
  "slipway criticality claims": "which claims were tested, and by which functions",
  "slipway criticality witnesses": "types that stand for invariants",
  "npm test": "the program's own tests",
};

function storyLines({ functions, claims, accepted, reverted }: RunArtifacts): string[] {
  const many = functions.filter(({ attempts }) => attempts > 1);
  return [
    `${functions.length} functions, each written from its signature, contract and types alone.`,
    ...many.map(({ id, attempts, tier }) => `  ${shortName(id)} took ${attempts} attempts, the last one by ${tier ?? "the worker"}`),
    ...claims.map(({ id, text, status }) => `  claim ${id}: ${status} (${text})`),
    ...accepted.map(({ function: of, pattern }) => `  ${pattern} on ${shortName(of)}: accepted`),
    ...reverted.map(({ function: of, pattern, reason }) => `  ${pattern} on ${shortName(of)}: reverted, ${reason ?? ""}`),
  ];
}
