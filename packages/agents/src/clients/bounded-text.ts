/** One character above the limit of readers, so that they notice that the text is too long. */
const MAX_CHARACTERS = 8 * 1024 * 1024 + 1;

/** Collects text in pieces, up to a limit. */
export function boundedText() {
  let pieces: string[] = [];
  let length = 0;
  return {
    add(piece: string): void {
      const room = MAX_CHARACTERS - length;
      if (room <= 0 || piece === "") return;
      pieces.push(piece.slice(0, room));
      length += Math.min(piece.length, room);
    },
    clear(): void {
      pieces = [];
      length = 0;
    },
    value: (): string | null => (length === 0 ? null : pieces.join("")),
  };
}
