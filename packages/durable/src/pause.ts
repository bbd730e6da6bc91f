import { canonicalJson } from "./canonical.ts";
import { wakeKey } from "./names.ts";
import { lookUp, payloadOf, recall, record } from "./replay.ts";
import { active, assertLive, type Scope } from "./scope.ts";

/** Sleeps for a time that is recorded first, so that it counts on while no process is there. */
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

/** What is left of `ms` since the recorded moment. Within one process the timer is monotonic: the wall clock may jump. */
export async function pause(scope: Scope, ms: number, since?: number): Promise<void> {
  const { clock, sleep } = scope.execution.parts;
  const abort = new AbortController();
  scope.aborts.add(abort);
  await sleep(since === undefined ? ms : remaining(ms, since, clock.now()), abort.signal);
  scope.aborts.delete(abort);
  assertLive(scope);
}

/** Never more than the whole, even if the clock was put back. */
export function remaining(ms: number, since: number, now: number): number {
  return Math.min(Math.max(since + ms - now, 0), ms);
}
