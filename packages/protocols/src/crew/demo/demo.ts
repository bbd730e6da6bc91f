import { journalSize } from "@slipway/kernel/record/journal/heads";
import { openRunFiles } from "@slipway/kernel/record/run-files/run-files";
import type { FeatureResult } from "../../change/feature-run.ts";
import type { Demo, DemoClosing, FinishedDemo } from "../../demo/demo.ts";
import { demoFolder } from "../../demo/files.ts";
import { lastLines } from "../../demo/last-lines.ts";
import { paint } from "../../surface/paint.ts";
import { recordedStatus, STATUS_FILE } from "../dispatch/accept-files.ts";
import { crewDispatch } from "../dispatch/dispatch.ts";
import { RUN_LOG } from "../grants/write-grants.ts";
import type { CrewStatus } from "../session/status.ts";
import { dispatchesIn, readRunLog, statesIn } from "./run-log.ts";

interface CrewStory {
  readonly run: string;
  readonly result: FeatureResult | null;
  readonly status: CrewStatus | null;
  readonly states: readonly string[];
  readonly dispatches: number;
  /** Calls of agents whose answer did not count. */
  readonly repeated: number;
  readonly journal: { readonly events: number; readonly head: string };
}

export const crewDemo: Demo<CrewStory> = {
  files: {
    folder: demoFolder("crew"),
    published: null,
    commitMessage: "A small list of bookmarks",
    gates: "the project's tests",
    request: { text: "Export bookmarks as a page", flags: { lean: true } },
  },
  writtenBy: "npm run record:demo-crew",
  async summarise({ records, engine }, { runId, outcome }) {
    const files = openRunFiles(records, runId);
    const log = readRunLog((await files.text(RUN_LOG)) ?? "");
    const dispatches = dispatchesIn(log);
    const calls = await engine.runs({ workflow: crewDispatch.name, rootRunId: runId });
    return {
      run: runId,
      result: outcome.status === "completed" ? (outcome.value as FeatureResult) : null,
      status: recordedStatus(await files.text(STATUS_FILE)),
      states: statesIn(log),
      dispatches,
      repeated: calls.length - dispatches,
      journal: await journalSize(records),
    };
  },
  close: ([story], finished) => closing(story, finished),
};

function closing({ run, result, status, states, dispatches, repeated, journal }: CrewStory, finished: FinishedDemo): DemoClosing {
  const { bold } = paint(finished.color);
  const landing = result?.landing ?? null;
  const decisions = (status?.user_decisions ?? []).map(({ decision_id: id, answer, resolution_reason }) => ({
    id,
    answer: answer ?? resolution_reason,
  }));
  const repairs = Object.entries(status?.retry_counts ?? {}).flatMap(([task, loops]) =>
    Object.entries(loops).map(([loop, count]) => ({ task, loop, count: count ?? 0 })),
  );
  const words = result?.words ?? [];
  return {
    done: landing !== null && status?.current_state === "DONE",
    lines: [
      "",
      bold("The states of the session"),
      ...wrapped(states),
      "",
      bold("What the person decided, as it stands in status.json"),
      ...decisions.map(({ id, answer }) => `  ${id.padEnd("UD-REVIEW-STRATEGY".length)}  ${answer ?? "open"}`),
      "",
      ...words.map((line) => `  ${line}`.trimEnd()),
      "",
      `agents   ${dispatches} dispatches, ${repeated} repeated because the answer was not valid`,
      `repairs  ${repairs.map(({ task, loop, count }) => `${task} ${loop} ${count} of 3`).join(", ") || "none"}`,
      `commit   ${landing === null ? "none" : landing.commit.slice(0, 10)}`,
      ...lastLines(
        {
          journal,
          tryNext: { ...TRY_NEXT, [`cat .slipway/runs/${run}/report.md`]: "the report with its known issues" },
          begin: 'slipway crew "what you want"',
        },
        finished,
      ),
    ],
    json: {
      status: landing === null ? "not merged" : "merged",
      session: run,
      commit: landing?.commit ?? null,
      mode: status?.mode ?? null,
      states,
      decisions,
      dispatches,
      repeated,
      repairs,
      known_issues: status?.known_issues ?? [],
      words,
      elapsed_ms: finished.elapsedMs,
      journal,
    },
  };
}

const PER_LINE = 4;

function wrapped(states: readonly string[]): string[] {
  const rows = Array.from({ length: Math.ceil(states.length / PER_LINE) }, (_, row) => states.slice(row * PER_LINE, (row + 1) * PER_LINE));
  return rows.map((row, index) => `  ${index === 0 ? "" : "> "}${row.join(" > ")}`);
}

const TRY_NEXT = {
  "slipway status": "the session and its tasks",
  "slipway export copilot --protocol crew": "the twelve agents for GitHub Copilot",
};
