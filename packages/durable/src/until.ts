import { canonicalJson } from "./canonical.ts";
import { fromFailure } from "./errors.ts";
import { haltsRun, stepFailure } from "./failures.ts";
import { recall, record, replay } from "./replay.ts";
import { whileIdle, type Scope } from "./scope.ts";

/** Calls `look` again whenever something may have changed. Only the final value goes into the journal. */
export async function until<T>(scope: Scope, name: string, look: () => Promise<T | undefined>): Promise<T> {
  const recorded = await recall(scope, name, ["awaited"]);
  if (recorded !== undefined) return replay(scope, recorded);
  const { waits, pulse } = scope.execution;
  const mine = `${scope.runId}#${name}`;
  waits.add(mine);
  try {
    for (;;) {
      const seen = await look();
      if (seen !== undefined) return await settle<T>(scope, name, { value: seen });
      await whileIdle(scope, () => pulse.next());
    }
  } catch (error) {
    if (scope.ended || haltsRun(error)) throw error;
    const failure = stepFailure(name, error);
    await settle(scope, name, { failure });
    throw fromFailure(failure, { cause: error });
  } finally {
    waits.delete(mine);
  }
}

async function settle<T>(scope: Scope, name: string, outcome: { value: T } | { failure: unknown }): Promise<T> {
  const text = canonicalJson(outcome);
  await record(scope, { kind: "awaited", name, key: name }, text);
  // Return the same copy that a replay returns.
  return (JSON.parse(text) as { value: T }).value;
}
