/** Cuts bytes into lines. A line that is too long is dropped as it comes, and counted; never more than one line is held. */
export function lineSplitter(onLine: (line: string) => void, maxLineBytes: number) {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  let dropping = false;
  let dropped = 0;

  function hold(part: Uint8Array): void {
    if (dropping || part.byteLength === 0) return;
    heldBytes += part.byteLength;
    if (heldBytes <= maxLineBytes) return void held.push(part);
    dropping = true;
    dropped += 1;
    held = [];
  }

  function release(): void {
    if (!dropping && heldBytes > 0) onLine(Buffer.concat(held).toString("utf8"));
    held = [];
    heldBytes = 0;
    dropping = false;
  }

  return {
    push(chunk: Uint8Array): void {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        hold(chunk.subarray(from, end));
        release();
        from = end + 1;
      }
      // The chunk may be reused by whoever reads it.
      hold(Uint8Array.from(chunk.subarray(from)));
    },
    /** What came without a line break at the end. */
    end: release,
    dropped: () => dropped,
  };
}
