/** Splits bytes into lines and buffers at most one. An overlong line is dropped and counted. */
export function lineSplitter(onLine: (line: string) => void, maxLineBytes: number) {
  let buffered: Uint8Array[] = [];
  let bufferedBytes = 0;
  let dropping = false;
  let dropped = 0;

  function hold(part: Uint8Array): void {
    if (dropping || part.byteLength === 0) return;
    bufferedBytes += part.byteLength;
    if (bufferedBytes <= maxLineBytes) return void buffered.push(part);
    dropping = true;
    dropped += 1;
    buffered = [];
  }

  function release(): void {
    if (!dropping && bufferedBytes > 0) onLine(Buffer.concat(buffered).toString("utf8"));
    buffered = [];
    bufferedBytes = 0;
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
      // Copied: the caller may reuse the chunk.
      hold(Uint8Array.from(chunk.subarray(from)));
    },
    /** Flushes a last line without a line break. */
    end: release,
    dropped: () => dropped,
  };
}
