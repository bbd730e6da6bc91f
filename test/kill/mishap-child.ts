import { inSession, type Yard } from "./mishap-yard.ts";

/** Continues the run, and dies at the point with that number if it is reached. */
const { atPoint, ...yard } = JSON.parse(process.argv[2] ?? "") as Yard & { readonly atPoint: number | null };
let points = 0;
function point(): void {
  points++;
  if (points === atPoint) process.kill(process.pid, "SIGKILL");
}
await inSession(
  { ...yard, approved: new Set(), onBase: new Set() },
  async (session) => {
    await session.engine.resetCrashes(yard.runId, "mishaps").catch(() => undefined);
    await session.drive(yard.runId);
  },
  { observe: point, onOperation: point },
);
