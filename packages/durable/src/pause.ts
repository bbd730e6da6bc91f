import { canonicalJson } from "./canonical.ts";
import { wakeKey } from "./names.ts";
import { lookUp, payloadOf, recall, record } from "./replay.ts";
import { active, assertLive, type Scope } from "./scope.ts";

/** Records the start of the sleep first, so that the time also passes while no process runs. */
export async function sleep(scope: Scope, name: string, ms: number): Promise<void> {
  if ((await recall(scope, name, ["slept"])) !== undefined) return;
  await active(scope, async () => {
    const before = await lookUp(scope, wakeKey(name));
    if (before === undefined) {
      const begun = await record(scope, { kind: "sleeping", name, key: wakeKey(name) }, canonicalJson({ ms }));
      await pause(scope, ms, begun.at);
    } else {
      await pause(scope, Number((await payloadOf(scope, before))["ms"]), before.at);
    }
    await record(scope, { kind: "slept", name, key: name }, "{}");
  });
}

/** Sleeps for what is left of `ms` since `since`. Within one process the timer is monotonic, because the wall clock may jump. */
export async function pause(scope: Scope, ms: number, since?: number): Promise<void> {
  const { clock, sleep } = scope.execution.parts;
  const abort = new AbortController();
  scope.aborts.add(abort);
  await sleep(since === undefined ? ms : remaining(ms, since, clock.now()), abort.signal);
  scope.aborts.delete(abort);
  assertLive(scope);
}

/** At most `ms`, even if the clock was set back. */
export function remaining(ms: number, since: number, now: number): number {
  return Math.min(Math.max(since + ms - now, 0), ms);
}
