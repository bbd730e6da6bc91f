import { jsonLine } from "@slipway/protocols/surface/escape";
import type { BoardFeature } from "@slipway/kernel/change/views/board/board";
import { readBoard } from "@slipway/kernel/open-board";
import type { CollisionMatrix } from "@slipway/kernel/change/plan/collision-matrix";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import { withKernel } from "@slipway/runtime/kernel-at";
import { fit } from "../render/fit.ts";
import { paint } from "@slipway/protocols/surface/paint";
import { oneLine } from "@slipway/protocols/narration/one-line";
import { waitText } from "../render/wait.ts";

/** Shows collisions between accepted plans under the current policy, and which features wait. Read-only. */
export const run: RunCommand = (args, io) =>
  withKernel(io, async (kernel) => {
    const matrix = await kernel.features.collisions();
    const { features } = await readBoard(kernel.records.layout);
    const waiting = features.filter(({ waits_for }) => waits_for !== null && WAITS.has(waits_for.for));
    if (args.flag("json")) io.out(jsonLine({ ...matrix, waiting: waiting.map(({ id, waits_for }) => ({ feature: id, waits_for })) }));
    else io.out(`${[...matrixLines(matrix, io.color), ...waitingLines(waiting)].join("\n")}\n`);
    return EXIT.done;
  });

const WAITS: ReadonlySet<string> = new Set(["feature", "lock", "person"]);
const COLUMN = 4;
const LETTERS: Readonly<Record<string, string>> = { file: "F", area: "A", contract: "C", migration: "M" };

function matrixLines({ features, pairs }: CollisionMatrix, color: boolean): string[] {
  const { dim, bold } = paint(color);
  if (pairs.length === 0)
    return [
      features.length < 2
        ? "Fewer than two plans are accepted, so none can collide."
        : `No two of the ${features.length} accepted plans collide.`,
    ];
  const involved = features.filter((id) => pairs.some((pair) => pair.features.includes(id)));
  const width = Math.max(...involved.map((id) => id.length)) + 4;
  const types = (one: string, two: string) => {
    const pairOfBoth = pairs.find((pair) => pair.features.includes(one) && pair.features.includes(two) && one !== two);
    return [...new Set(pairOfBoth?.collisions.map(({ type }) => LETTERS[type] ?? "?"))].join("");
  };
  return [
    dim(`${" ".repeat(width)}${involved.map((_, index) => fit(String(index + 1), COLUMN)).join("")}`.trimEnd()),
    ...involved.map((one, index) =>
      `${fit(`${index + 1} ${one}`, width)}${involved.map((two) => fit(types(one, two) || "·", COLUMN)).join("")}`.trimEnd(),
    ),
    dim("F file, A area, C contract, M migration"),
    "",
    ...pairs.flatMap(({ features: [one, two], collisions }) => [
      bold(`${one} and ${two}`),
      ...collisions.map(({ type, resource }) => `  ${type} ${oneLine(resource)}`),
    ]),
  ];
}

function waitingLines(waiting: readonly BoardFeature[]): string[] {
  return waiting.flatMap(({ id, waits_for }) => (waits_for === null ? [] : [`${id} ${waitText(id, waits_for)}`]));
}
