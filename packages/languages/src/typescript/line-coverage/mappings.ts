const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CONTINUES = 32;

/** Positions in lines and columns from 0. */
export interface MappedPosition {
  readonly generated: readonly [line: number, column: number];
  readonly original: readonly [line: number, column: number];
}

/** The positions of a source map with one source. */
export function readMappings(mappings: string): MappedPosition[] {
  const found: MappedPosition[] = [];
  let [line, column] = [0, 0];
  for (const [index, row] of mappings.split(";").entries()) {
    let at = 0;
    for (const segment of row.split(",")) {
      const [moved = 0, , lines, columns] = readNumbers(segment);
      at += moved;
      if (lines === undefined || columns === undefined) continue;
      line += lines;
      column += columns;
      found.push({ generated: [index, at], original: [line, column] });
    }
  }
  return found;
}

/** Base 64 digits of five bits each, the lowest first; the lowest bit of a number is its sign. */
function readNumbers(segment: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const character of segment) {
    const digit = DIGITS.indexOf(character);
    value += (digit & (CONTINUES - 1)) << shift;
    shift += 5;
    if ((digit & CONTINUES) !== 0) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
