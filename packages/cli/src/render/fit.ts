import { escapedWidth } from "@slipway/protocols/surface/escape";

/** Characters of width two. */
const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{1F300}-\u{1FAFF}\u{20000}-\u{3FFFD}]/u;
/** Characters of width zero, which combine with the one before. */
const NONE = /\p{M}/u;

function placesOf(character: string): number {
  return escapedWidth(character) || (NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1);
}

function widthOf(text: string): number {
  return [...text].reduce((sum, character) => sum + placesOf(character), 0);
}

/** Cuts to a width, with a mark at the cut. Never wraps. */
export function clip(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let room = width - 1;
  let kept = "";
  for (const character of text) {
    room -= placesOf(character);
    if (room < 0) break;
    kept += character;
  }
  return width < 1 ? "" : `${kept}…`;
}

/** Cuts or pads to exactly this width. */
export function fit(text: string, width: number): string {
  const cut = clip(text, width);
  return cut + " ".repeat(Math.max(0, width - widthOf(cut)));
}
