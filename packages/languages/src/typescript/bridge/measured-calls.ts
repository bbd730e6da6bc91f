/** Part of the module's process: prepares calls of one size and measures them where they run. */
import { INTRINSIC_NAMES } from "./intrinsics.ts";

/** The function, `this` and the arguments. */
type PreparedCall = readonly [target: (...given: unknown[]) => unknown, given: readonly unknown[]];

export interface CallBatch {
  readonly n: number;
  /** Each has a set-up of its own, which is not part of the times. */
  readonly instances: number;
  /** Parts are timed one by one; each calls every instance `calls` times. */
  readonly parts: number;
  readonly calls: number;
}

/** Milliseconds: of the set-up of all instances, and of each part. */
export interface BatchTimes {
  readonly setup: number;
  readonly times: readonly number[];
}

export interface MeasuredCalls {
  /** `source` is a function of `n` that uses these values by name. */
  compile(source: string, values: Readonly<Record<string, unknown>>): void;
  /** Calls of size `n` get copies of these arguments. */
  keep(n: number, target: PreparedCall[0], given: readonly unknown[]): void;
  measure(batch: CallBatch): Promise<BatchTimes>;
}

// Taken before the module is loaded, which could replace them.
const { apply } = Reflect;
const now = performance.now.bind(performance);
const clone = structuredClone;

function nothingPrepared(): never {
  throw new Error("Nothing is prepared.");
}

export function openMeasuredCalls(): MeasuredCalls {
  let prepare: (n: number) => PreparedCall = nothingPrepared;
  const kept = new Map<number, PreparedCall>();
  return {
    compile(source, values) {
      const names = Object.keys(values);
      const made = new Function(...names, `"use strict"; return (${source});`) as (...given: unknown[]) => typeof prepare;
      prepare = made(...names.map((name) => values[name]));
    },
    keep(n, target, given) {
      kept.set(n, [target, given]);
      prepare = (size) => {
        const [wanted, values] = kept.get(size) ?? [target, given];
        return [wanted, values.map(copyOf)];
      };
    },
    async measure({ n, instances, parts, calls }) {
      const started = now();
      const all = Array.from({ length: instances }, () => {
        const [target, [self, ...given]] = prepare(n);
        return { target, self, given };
      });
      const setup = now() - started;
      const times: number[] = [];
      for (let part = 0; part < parts; part++) {
        const from = now();
        for (let at = 0; at < instances; at++) {
          const { target, self, given } = all[at] as (typeof all)[number];
          for (let call = 0; call < calls; call++) {
            const result = apply(target, self, given);
            if (result instanceof Promise) await result;
          }
        }
        times.push(now() - from);
      }
      return { setup, times };
    },
  };
}

/** A function is measured with fresh arguments, because it may change or remember them. Instances of classes cannot be copied. */
function copyOf(value: unknown): unknown {
  const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : Object.prototype;
  const isInstance = prototype !== null && !INTRINSIC_NAMES.has(prototype as object);
  return typeof value === "object" && !isInstance ? clone(value) : value;
}
