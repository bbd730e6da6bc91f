import { entry, type Automaton } from "./automaton.ts";
import { MARK, type TextStream } from "./contract.ts";

const NEWLINE = 10;
const RETURN = 13;
/** More line ends than this end a value: otherwise a flood of line ends would be held back forever. */
const LINE_ENDS_WITHIN = 4;

interface Range {
  start: number;
  end: number;
}

/** Replaces all forms of all known values, also across chunks and wrapped lines. */
export function knownValueStream(automaton: Automaton): TextStream {
  const { classOf, classes, next, depth, found } = automaton;
  // A ring buffer of the positions of the last characters that are not line ends.
  const mask = 2 ** Math.ceil(Math.log2(automaton.longest + 1)) - 1;
  const places = new Float64Array(mask + 1);
  let state = 0;
  let counted = 0;
  let lineEnds = 0;
  let held = "";
  let heldAt = 0;
  let lastMarkedEnd = -1;
  let ranges: Range[] = [];

  function scan(text: string, from: number): void {
    for (let index = from; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === NEWLINE || code === RETURN) {
        if (++lineEnds > LINE_ENDS_WITHIN) state = 0;
        continue;
      }
      lineEnds = 0;
      state = entry(next, state * classes + entry(classOf, code));
      places[counted++ & mask] = heldAt + index;
      const length = entry(found, state);
      if (length > 0) addRange(entry(places, (counted - length) & mask), heldAt + index + 1);
    }
  }

  function addRange(start: number, end: number): void {
    const last = ranges.at(-1);
    if (last === undefined || start > last.end) ranges.push({ start, end });
    else {
      last.start = Math.min(last.start, start);
      last.end = end;
      // A longer form may begin before shorter ones that were already found.
      for (let before = ranges.at(-2); before !== undefined && before.end >= last.start; before = ranges.at(-2)) {
        last.start = Math.min(last.start, before.start);
        ranges.splice(-2, 1);
      }
    }
  }

  /** Emits everything before `upTo`. A range that extends beyond it is marked once, and its rest is dropped later. */
  function release(text: string, upTo: number): string {
    let out = "";
    let at = heldAt;
    const open: Range[] = [];
    for (const { start, end } of ranges) {
      if (start >= upTo) {
        open.push({ start, end });
        continue;
      }
      out += text.slice(at - heldAt, start - heldAt);
      if (start !== lastMarkedEnd) out += MARK;
      at = Math.min(end, upTo);
      lastMarkedEnd = at;
      if (end > upTo) open.push({ start: upTo, end });
    }
    ranges = open;
    out += text.slice(at - heldAt, upTo - heldAt);
    held = text.slice(upTo - heldAt);
    heldAt = upTo;
    return out;
  }

  return {
    write(chunk) {
      const text = held + chunk;
      scan(text, held.length);
      const pending = entry(depth, state);
      return release(text, pending === 0 ? heldAt + text.length : entry(places, (counted - pending) & mask));
    },
    end: () => release(held, heldAt + held.length),
  };
}
