import { inSession, type Yard } from "./mishap-yard.ts";

/** Carries the run on, and dies at the point of that number if it gets there. */
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
