import { codeLines } from "../complexity.ts";
import type { SmellDetector } from "../smells.ts";

const MIN_COMMENTS = 4;

/** More comment lines than half of the lines of code: the code needs names instead. */
export const overDocumentation: SmellDetector = (found) => {
  const { body, tree } = found;
  const inside = tree.comments.filter(({ start, end }) => start >= body.start && end <= body.end);
  const lines = inside.reduce((sum, { value }) => sum + value.split("\n").length, 0);
  const code = codeLines(found);
  if (lines < MIN_COMMENTS || lines * 2 <= code) return [];
  return [
    {
      id: "over-documentation",
      at: inside[0]?.start ?? body.start,
      measured: lines,
      detail: `${lines} comment lines for ${code} lines of code`,
    },
  ];
};
