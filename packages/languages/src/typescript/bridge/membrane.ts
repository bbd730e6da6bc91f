import { describeValues } from "./describe.ts";
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
  /** Called with arguments for calls that will be measured. */
  readonly onKept?: (n: number, target: (...given: unknown[]) => unknown, given: readonly unknown[]) => void;
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
  /** Hands arguments to the other side, which will measure calls of its function with copies of them. */
  keep(n: number, target: object, given: readonly unknown[]): void;
  /** Number of unsettled promises of the other side. */
  readonly pending: number;
}

interface Resolvers {
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

const nothing = () => undefined;

export function openMembrane({ side, ask, onNews = nothing, onUnpacked = nothing, onKept = nothing }: MembraneOptions): Membrane {
  const table = new Table(side);
  const promised = new Map<number, Resolvers>();
  const thrownThere = new WeakSet<object>();
  let ended: [number, boolean, unknown][] = [];

  const describing = { side, table, onPromise };
  const restoring = { side, table, likeness, promise };
  return {
    pack,
    unpack,
    serve,
    answer,
    outcome,
    checkpoint,
    keep,
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

  function keep(n: number, target: object, given: readonly unknown[]): void {
    const id = table.idOf(target);
    if (id === undefined || table.isOwn(id)) throw new CannotCross("Only a function of the module can be measured.");
    const forget = checkpoint();
    outcome(ask({ do: "keep", n, target: id, ...pack(given) }));
    // Whatever is shared is compared with every message.
    forget();
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
    if (request.do !== "call" && request.do !== "construct" && (request.do !== "keep" || side !== "module"))
      return { ended: "fault", message: `"${request.do}" cannot be asked for now.` };
    const found = table.find(request.target);
    if (found?.kind !== "function" || !table.isOwn(found.id)) malformed("a call of something that is no function");
    const target = found.value as (...given: unknown[]) => unknown;
    const given = unpack(request);
    try {
      if (request.do === "keep") return answer("returned", onKept(request.n, target, given));
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
