import { whileIdle, type Scope } from "./scope.ts";

/** Waits until every operation has settled, then throws the first failure in their order. */
export async function all<T>(scope: Scope, operations: readonly (() => Promise<T>)[], limit = operations.length): Promise<T[]> {
  const results: PromiseSettledResult<T>[] = [];
  const queue = operations.entries();
  const lanes = Math.min(Math.max(1, limit), operations.length);
  scope.strands += lanes;
  await whileIdle(scope, () => Promise.all(Array.from({ length: lanes }, () => lane(scope, queue, results))));
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return results.map((result) => (result as PromiseFulfilledResult<T>).value);
}

async function lane<T>(scope: Scope, queue: Iterator<[number, () => Promise<T>]>, results: PromiseSettledResult<T>[]): Promise<void> {
  for (let next = queue.next(); next.done !== true; next = queue.next()) {
    const [index, operation] = next.value;
    [results[index]] = (await Promise.allSettled([call(operation)])) as [PromiseSettledResult<T>];
  }
  scope.strands--;
  scope.execution.considerWaiting();
}

async function call<T>(operation: () => Promise<T>): Promise<T> {
  return operation();
}
