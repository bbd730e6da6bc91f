import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@slipway/durable/environment";
import { nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { objectStore } from "@slipway/kernel/record/objects/store";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { openTranscript } from "../write.ts";

/** A process that streams this many megabytes into a transcript and reports its peak memory. */
const megabytes = Number(process.argv[2]);
const folder = mkdtempSync(join(tmpdir(), "slipway-flood-"));
const objects = objectStore(nodeFileSystem, join(folder, "objects"));
const transcript = await openTranscript(
  { run: "r", step: "builder:1", role: "builder", subject: "s", attempt: "1", provider: "flood", model: null },
  { folder: join(folder, "open"), objects, redactor: createRedactor({ secrets: ["a-secret-of-the-flood"] }), clock: systemClock },
);
const line = JSON.stringify({ type: "assistant", text: "0123456789 abcdefghij ".repeat(180) });
const rounds = Math.ceil((megabytes * 1024 * 1024) / line.length);
let peak = 0;
for (let round = 0; round < rounds; round++) {
  void transcript.watch({ kind: "raw", line });
  if (round % 1000 === 0) peak = Math.max(peak, process.memoryUsage().rss);
}
const { digest } = await transcript.keep();
const bytes = digest === null ? 0 : statSync(objects.pathOf(digest)).size;
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ peak, bytes }));
