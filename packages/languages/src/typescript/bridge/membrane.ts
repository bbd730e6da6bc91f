import { describeValues } from "./describe.ts";
import { INTRINSIC_NAMES } from "./intrinsics.ts";
import { restoreObjects } from "./restore.ts";
import { Table, type Side } from "./table.ts";
import { CannotCross, malformed, type WireAnswer, type Packed, type WireRequest, type WireValue } from "./wire.ts";

export interface MembraneOptions {
  readonly side: Side;
  /** Sends a request and waits for its answer; serves requests of the other side in the meantime. */
  readonly ask: (request: WireRequest) => WireAnswer;
  /** Called when there is news for the other side, which is not waiting for it. */
  readonly onNews?: () => void;
  /** Called after the copies of the other side's objects are up to date. */
  readonly onUnpacked?: () => void;
}

/** One process's view of the values of the other. Both views agree whenever a message is sent. */
export interface Membrane {
  pack(values: readonly unknown[]): Packed;
  unpack(packed: Packed): unknown[];
  serve(request: WireRequest): WireAnswer;
  answer(ended: "returned" | "thrown", value: unknown): WireAnswer;
  /** The result of an answer; throws the error of the other side. */
  outcome(answer: WireAnswer): unknown;
  /** Whether the other side created and threw this error. */
  isThrownThere(value: unknown): boolean;
  /** Returns a function that ends the sharing of everything that is shared after this call. For tests that run one after another. */
  checkpoint(): () => void;
  /** Milliseconds that the other side needs to copy arguments, or to call its function with the copies. */
  timeOf(target: object, given: readonly unknown[], times: number, calls: boolean): number;
  /** Number of unsettled promises of the other side. */
  readonly pending: number;
}

interface Resolvers {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

export function openMembrane({ side, ask, onNews = () => undefined, onUnpacked = () => undefined }: MembraneOptions): Membrane {
  const table = new Table(side);
  const promised = new Map<number, Resolvers>();
  const thrownThere = new WeakSet<object>();
  let ended: [number, boolean, unknown][] = [];
  /** Arguments for calls that are measured. */
  let copies: unknown[][] = [];

  const describing = { side, table, onPromise };
  const restoring = { side, table, likeness, promise };
  return {
    pack,
    unpack,
    serve,
    answer,
    outcome,
    checkpoint,
    timeOf,
    isThrownThere: (value) => typeof value === "object" && value !== null && thrownThere.has(value),
    get pending() {
      return promised.size;
    },
  };

  function pack(values: readonly unknown[]): Packed {
    const news = ended;
    const described = describeValues(describing, [...values, ...news.map(([, , value]) => value)]);
    described.commit();
    ended = ended.slice(news.length);
    const settled = news.map(([id, fulfilled], index) => [id, fulfilled, described.values[values.length + index] as WireValue] as const);
    return { values: described.values.slice(0, values.length), objects: described.objects, settled };
  }

  function unpack({ values, objects, settled }: Packed): unknown[] {
    const valueOf = restoreObjects(restoring, objects);
    const restored = values.map(valueOf);
    for (const [id, fulfilled, wire] of settled) {
      const promise = promised.get(id) ?? malformed("the end of a promise that is not there");
      promised.delete(id);
      const value = valueOf(wire);
      if (fulfilled) promise.resolve(value);
      else promise.reject(marked(value));
    }
    onUnpacked();
    return restored;
  }

  function onPromise(id: number, promise: Promise<unknown>): void {
    const note = (fulfilled: boolean) => (value: unknown) => {
      ended.push([id, fulfilled, value]);
      onNews();
    };
    Promise.prototype.then.call(promise, note(true), note(false));
  }

  function promise(id: number): object {
    const { promise: made, resolve, reject } = Promise.withResolvers<unknown>();
    promised.set(id, { resolve, reject });
    return made;
  }

  function likeness(id: number, name: string, length: number, constructs: boolean): object {
    const call = (self: unknown, given: unknown[]) =>
      outcome(ask({ do: "call", target: id, ...pack([self === globalThis ? undefined : self, ...given]) }));
    const made = constructs
      ? function (this: unknown, ...given: unknown[]): unknown {
          return new.target === undefined ? call(this, given) : construct(id, given, made, new.target);
        }
      : {
          method(this: unknown, ...given: unknown[]): unknown {
            return call(this, given);
          },
        }.method;
    Object.defineProperty(made, "name", { value: name, configurable: true });
    Object.defineProperty(made, "length", { value: length, configurable: true });
    return made;
  }

  /** A class of this side may extend one of the other. */
  function construct(id: number, given: readonly unknown[], own: object, target: { readonly prototype: unknown }): object {
    const made = outcome(ask({ do: "construct", target: id, ...pack(given) })) as object;
    const { prototype } = target;
    if (target !== own && typeof prototype === "object") Object.setPrototypeOf(made, prototype);
    return made;
  }

  function checkpoint(): () => void {
    const counts = table.counts;
    return () => {
      table.forget(counts);
      outcome(ask({ do: "forget", ...counts }));
    };
  }

  function timeOf(target: object, given: readonly unknown[], times: number, calls: boolean): number {
    const id = table.idOf(target);
    if (id === undefined || table.isOwn(id)) throw new CannotCross("Only a function of the module can be measured.");
    const request = { do: "repeat", target: id, times, calls, ...pack(given) } as const;
    const started = performance.now();
    const answer = ask(request);
    const ended = performance.now();
    outcome(answer);
    return ended - started;
  }

  function repeat(request: Extract<WireRequest, { readonly do: "repeat" }>): WireAnswer {
    const found = table.find(request.target);
    if (found?.kind !== "function" || !table.isOwn(found.id)) malformed("a call of something that is no function");
    const given = unpack(request);
    try {
      if (request.calls) callAll(found.value as () => unknown, request.times);
      else copies = Array.from({ length: request.times }, () => given.map(copyOf));
      return answer("returned", undefined);
    } catch (error) {
      return answer("thrown", error);
    }
  }

  function callAll(target: (...given: unknown[]) => unknown, rounds: number): void {
    for (let round = 0; round < rounds; round++) for (const [self, ...given] of copies) Reflect.apply(target, self, given);
  }

  function outcome(given: WireAnswer): unknown {
    if (given.ended === "fault") throw new CannotCross(given.message);
    const [value] = unpack(given);
    if (given.ended === "thrown") throw marked(value);
    return value;
  }

  function marked(value: unknown): unknown {
    const id = typeof value === "object" && value !== null ? table.idOf(value) : undefined;
    if (id !== undefined && !table.isOwn(id)) thrownThere.add(value as object);
    return value;
  }

  function serve(request: WireRequest): WireAnswer {
    if (side === "module" && request.do === "forget") {
      table.forget(request);
      return answer("returned", undefined);
    }
    if (side === "module" && request.do === "repeat") return repeat(request);
    if (request.do !== "call" && request.do !== "construct") return { ended: "fault", message: `"${request.do}" cannot be asked for now.` };
    const found = table.find(request.target);
    if (found?.kind !== "function" || !table.isOwn(found.id)) malformed("a call of something that is no function");
    const target = found.value as (...given: unknown[]) => unknown;
    const given = unpack(request);
    try {
      if (request.do === "construct") return answer("returned", Reflect.construct(target, given));
      return answer("returned", Reflect.apply(target, given[0], given.slice(1)));
    } catch (error) {
      return answer("thrown", error);
    }
  }

  function answer(how: "returned" | "thrown", value: unknown): WireAnswer {
    try {
      return { ended: how, ...pack([value]) };
    } catch (error) {
      if (!(error instanceof CannotCross)) throw error;
      return { ended: "fault", message: error.message };
    }
  }
}

/** A function is measured with fresh arguments, because it may change or remember them. Instances of classes cannot be copied. */
function copyOf(value: unknown): unknown {
  const prototype: unknown = typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : Object.prototype;
  const isInstance = prototype !== null && !INTRINSIC_NAMES.has(prototype as object);
  return typeof value === "object" && !isInstance ? structuredClone(value) : value;
}
