import { AsyncLocalStorage } from "node:async_hooks";
import { ROOT_CONTEXT, type Context, type ContextManager } from "@opentelemetry/api";

/** Tracks the active span across awaits, so that an invocation finds its step. */
export function asyncContext(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (context, work, thisArgument, ...args) => storage.run(context, () => work.apply(thisArgument, args)),
    bind: (context, target) => (isCallable(target) ? (bound(storage, context, target) as typeof target) : target),
    enable: () => manager,
    disable() {
      storage.disable();
      return manager;
    },
  };
  return manager;
}

type Callable = (...args: unknown[]) => unknown;

function isCallable(target: unknown): target is Callable {
  return typeof target === "function";
}

function bound(storage: AsyncLocalStorage<Context>, context: Context, target: Callable): Callable {
  return (...args: unknown[]) => storage.run(context, () => target(...args));
}
