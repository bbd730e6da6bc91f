import { existsSync } from "node:fs";
import { findLayout, glance, type FeatureGlance, type Glance, type RunGlance } from "@slipway/kernel/glance/glance";
import type { RunCommand } from "../command.ts";
import { EXIT } from "../exit-codes.ts";
import { answerCommand } from "../render/questions.ts";
import { paint } from "../render/paint.ts";
import { oneLine } from "../render/plain.ts";

export const run: RunCommand = async (args, io) => {
  const found = await glance(findLayout(io.cwd));
  io.out(args.flag("json") ? `${JSON.stringify(found)}\n` : `${lines(found, io.color).join("\n")}\n`);
  return EXIT.done;
};

function lines({ features, runs, questions }: Glance, color: boolean): string[] {
  const { bold, dim } = paint(color);
  if (features.length === 0 && runs.length === 0)
    return ["Nothing has run here yet. Start with `slipway run SPEC.md`, or look around with `slipway doctor`."];
  const width = Math.max(...features.map(({ id }) => id.length), 8);
  const board = features.map(
    (feature) =>
      `${feature.id.padEnd(width)}  ${feature.status.padEnd(14)}  ${gates(feature)}  ${cost(feature)}${feature.merged_as === null ? "" : `  ${feature.merged_as.slice(0, 10)}`}`,
  );
  const reasons = features
    .filter(({ status }) => status === "blocked" || status === "failed")
    .map(({ id, reason }) => dim(`${id}: ${oneLine(reason)}`));
  const approved = features.filter(({ id, status }) => status === "ready_to_merge" && !questions.some(({ feature }) => feature === id));
  const waiting = questions.map((question) => `${oneLine(question.title)}  ${dim(`→ ${answerCommand(question)}`)}`);
  const [latest] = runs;
  return [
    ...board,
    ...reasons,
    ...(waiting.length === 0 ? [] : ["", bold("Waiting for a person"), ...waiting]),
    ...approved.map(({ id }) => `${id} is approved  ${dim(`→ slipway merge ${id}`)}`),
    ...(latest === undefined ? [] : [...(board.length === 0 ? [] : [""]), dim(`run ${latest.id} ${standing(latest)}`)]),
  ];
}

/** A run whose process is gone is not running, whatever its row says: nobody was left to change it. */
function standing({ status, owner_pid: pid }: RunGlance): string {
  if (pid === null) return `is ${status}`;
  if (existsSync("/proc/self") && !existsSync(`/proc/${pid}`))
    return `was cut off (process ${pid} is gone); continue with \`slipway resume\``;
  return `is ${status} (process ${pid})`;
}

function gates({ gates: results }: FeatureGlance): string {
  const shown = ["fast", "full"].filter((mode) => results[mode] !== undefined).map((mode) => `${mode} ${results[mode]}`);
  return (shown.length === 0 ? "no gate yet" : shown.join(", ")).padEnd(20);
}

function cost({ cost_usd }: FeatureGlance): string {
  return `$${cost_usd.toFixed(2)}`;
}
