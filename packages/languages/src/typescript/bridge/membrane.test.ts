import assert from "node:assert/strict";
import { describe, expect, test } from "vitest";
import { openMeasuredCalls } from "./measured-calls.ts";
import { openPair } from "./testing/pair.ts";
import { CannotCross, MalformedFrame } from "./wire.ts";

describe("values cross in both directions unchanged", () => {
  const { shown } = openPair();
  const echo = shown(<T>(value: T): { got: T } => ({ got: value }));

  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["text", 'a "text"\u2028 \ud800'],
    ["numbers", [0, -0, 1.5, Number.NaN, Infinity, -Infinity]],
    ["bigint", [10n ** 40n, -1n]],
    ["a date", [new Date(12345), new Date(Number.NaN)]],
    ["a map", new Map<unknown, unknown>([[{ key: 1 }, new Set([1, "2"])]])],
    ["an array with holes and more", Object.assign(Array(3), { 0: 1, 2: 3, more: true })],
    ["objects", { a: { b: [1, { c: null }] }, [Symbol.for("key")]: 1 }],
    ["an object without a prototype", Object.assign(Object.create(null) as object, { a: 1 })],
    ["a key __proto__", JSON.parse('{"__proto__":{"polluted":true},"constructor":1}')],
    ["bytes", [new Uint8Array([1, 2, 255]), Buffer.from("text"), new Float64Array([0.5]), new DataView(new ArrayBuffer(3))]],
    ["a buffer", new Uint16Array([1, 2, 3]).buffer],
    ["boxes", [Object(1), Object("s"), Object(1n)]],
    ["symbols", [Symbol.iterator, Symbol.for("shared")]],
    ["errors", [new RangeError("r"), new AggregateError([new Error("inner")], "many"), new Error("e", { cause: { why: 1 } })]],
  ])("%s", (_, value) => assert.deepStrictEqual(echo(value), { got: value }));

  test("a regular expression", () => {
    const { got } = echo(/(\d+)/giu);
    expect([got instanceof RegExp, got.source, got.flags, "a1b22".match(got)]).toEqual([true, "(\\d+)", "giu", ["1", "22"]]);
  });

  test("prototypes of this process are not changed by values that cross", () => {
    echo(JSON.parse('{"__proto__":{"polluted":true}}'));
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });
});

describe("identity", () => {
  test("an object that crosses and returns is the same object; a copy is not", () => {
    const { shown } = openPair();
    const same = shown((list: number[]) => list);
    const copy = shown((list: number[]) => [...list]);
    const list = [1, 2];
    expect(same(list)).toBe(list);
    expect(copy(list)).not.toBe(list);
    expect(copy(list)).toEqual(list);
  });

  test("shared and cyclic references are preserved", () => {
    const { shown } = openPair();
    const made = shown(() => {
      const node: { self?: unknown; twins?: unknown[] } = {};
      node.self = node;
      node.twins = [{ a: 1 }];
      node.twins.push(node.twins[0]);
      return node;
    })();
    expect(made.self).toBe(made);
    expect(made.twins?.[0]).toBe(made.twins?.[1]);
  });

  test("a local symbol is the same symbol everywhere", () => {
    const { shown } = openPair();
    const KEY = Symbol("key");
    const module = shown({ KEY, make: () => ({ [KEY]: 1 }), has: (value: object) => KEY in value });
    expect(Reflect.get(module.make(), module.KEY)).toBe(1);
    expect(module.has({ [module.KEY]: 2 })).toBe(true);
  });
});

describe("changes are visible on both sides", () => {
  test("a changed argument, also deep inside, in maps, sets, dates and bytes", () => {
    const { shown } = openPair();
    const change = shown(
      (given: { list: number[]; map: Map<string, number>; set: Set<number>; date: Date; bytes: Uint8Array; gone?: number }) => {
        given.list.sort((left, right) => left - right);
        given.map.set("b", 2).delete("a");
        given.set.add(3);
        given.date.setTime(5);
        given.bytes[1] = 9;
        delete given.gone;
      },
    );
    const given = { list: [3, 1, 2], map: new Map([["a", 1]]), set: new Set([1]), date: new Date(0), bytes: new Uint8Array(2), gone: 1 };
    change(given);
    assert.deepStrictEqual(given, {
      list: [1, 2, 3],
      map: new Map([["b", 2]]),
      set: new Set([1, 3]),
      date: new Date(5),
      bytes: new Uint8Array([0, 9]),
    });
  });

  test("the tests change an object that the module holds, and vice versa", () => {
    const { shown } = openPair();
    const module = shown(
      (() => {
        let kept: number[] = [];
        return { keep: (list: number[]) => void (kept = list), push: () => void kept.push(9), sum: () => kept.reduce((a, b) => a + b, 0) };
      })(),
    );
    const list = [1];
    module.keep(list);
    list.push(2);
    expect(module.sum()).toBe(3);
    module.push();
    expect(list).toEqual([1, 2, 9]);
  });

  test("a frozen object is frozen on the other side", () => {
    const { shown } = openPair();
    const frozen = shown(Object.freeze({ a: Object.freeze([1]) }) as { a: number[] });
    expect(Object.isFrozen(frozen) && Object.isFrozen(frozen.a)).toBe(true);
    expect(() => frozen.a.push(2)).toThrow(TypeError);
    const change = shown((given: { a: number }) => {
      "use strict";
      given.a = 2;
    });
    expect(() => change(Object.freeze({ a: 1 }))).toThrow(TypeError);
    expect(shown(Object.seal({ a: 1 }))).toSatisfy(Object.isSealed);
    expect(shown(Object.preventExtensions({ a: 1 }))).not.toSatisfy(Object.isExtensible);
  });
});

describe("functions, classes and instances", () => {
  class NegativeError extends RangeError {
    override name = "NegativeError";
    readonly amount: number;
    constructor(amount: number) {
      super(`${amount} is negative`);
      this.amount = amount;
    }
  }
  class Duration {
    static zero = new Duration(0);
    static of(minutes: number) {
      return new Duration(minutes);
    }
    #minutes: number;
    calls = 0;
    constructor(minutes: number) {
      if (minutes < 0) throw new NegativeError(minutes);
      this.#minutes = minutes;
    }
    get minutes() {
      return this.#minutes;
    }
    set minutes(minutes: number) {
      this.#minutes = minutes;
    }
    plus(other: Duration) {
      this.calls++;
      return new Duration(this.#minutes + other.#minutes);
    }
  }

  test("classes work as local ones: methods, accessors, statics, own fields, private state", () => {
    const module = openPair().shown({ Duration });
    const hour = new module.Duration(60);
    expect(hour).toBeInstanceOf(module.Duration);
    expect(hour.constructor).toBe(module.Duration);
    expect([hour.minutes, hour.plus(hour).minutes, hour.calls, module.Duration.zero.minutes, module.Duration.of(5).minutes]).toEqual([
      60, 120, 1, 0, 5,
    ]);
    hour.minutes = 7;
    hour.calls = 10;
    hour.plus(hour);
    expect([hour.minutes, hour.calls, module.Duration.name, module.Duration.length]).toEqual([7, 11, "Duration", 1]);
    expect(() => (module.Duration as unknown as () => void)()).toThrow(TypeError);
  });

  test("a thrown error has its class, with name, message, fields and cause", () => {
    const { shown, test: side } = openPair();
    const module = shown({ Duration, NegativeError });
    const thrown = caught(() => new module.Duration(-1));
    expect(thrown).toBeInstanceOf(module.NegativeError);
    expect(thrown).toBeInstanceOf(RangeError);
    assert.throws(() => new module.Duration(-2), { name: "NegativeError", message: "-2 is negative", amount: -2 });
    assert.throws(() => new module.Duration(-2), module.NegativeError);
    expect([side.isThrownThere(thrown), side.isThrownThere(new Error("here"))]).toEqual([true, false]);
  });

  test("a class of the tests may extend one of the module", () => {
    const module = openPair().shown({ Duration, twice: (one: Duration) => one.plus(one) });
    class Named extends module.Duration {
      label = "named";
      describe() {
        return `${this.label}: ${this.minutes}`;
      }
    }
    const named = new Named(4);
    expect([named.describe(), named instanceof module.Duration, module.twice(named).minutes]).toEqual(["named: 4", true, 8]);
  });

  test("functions of the tests are called back, with their results and errors", () => {
    const { shown, test: side } = openPair();
    const module = shown({
      map: <T, U>(list: T[], call: (item: T, index: number) => U) => list.map((item, index) => call(item, index)),
      nested: (call: (again: () => number) => number) => call(() => 20) + 1,
    });
    expect(module.map(["a", "b"], (item, index) => `${item}${index}`)).toEqual(["a0", "b1"]);
    expect(module.nested((again) => again() * 2)).toBe(41);
    const own = new Error("of the test");
    expect(() =>
      module.map([1], () => {
        throw own;
      }),
    ).toThrow(own);
    expect(side.isThrownThere(own)).toBe(false);
  });

  test("generators, iterators and async generators continue from either side", async () => {
    const { shown, turn } = openPair();
    const module = shown({
      *count(to: number) {
        for (let at = 1; at <= to; at++) yield at;
      },
      async *later() {
        yield 1;
        yield 2;
      },
      sum: (items: Iterable<number>) => [...items].reduce((a, b) => a + b, 0),
      entries: (map: Map<string, number>) => map.entries(),
    });
    expect([...module.count(3)]).toEqual([1, 2, 3]);
    expect(module.count(3)).toBeInstanceOf(Reflect.get(globalThis, "Iterator"));
    expect(
      module.sum(
        (function* () {
          yield 4;
          yield 5;
        })(),
      ),
    ).toBe(9);
    expect([...module.entries(new Map([["a", 1]]))]).toEqual([["a", 1]]);
    const seen: number[] = [];
    const all = (async () => {
      for await (const one of module.later()) seen.push(one);
    })();
    for (let round = 0; round < 4; round++) await turn();
    await all;
    expect(seen).toEqual([1, 2]);
  });

  test("promises settle on the other side as on their own", async () => {
    const { shown, turn, test: side } = openPair();
    const module = shown({
      async wait(given: Promise<number>) {
        return (await given) + 1;
      },
      async refuse() {
        throw new NegativeError(3);
      },
    });
    const waited = module.wait(Promise.resolve(41));
    const refused = assert.rejects(module.refuse(), { name: "NegativeError", amount: 3 });
    expect(waited).toBeInstanceOf(Promise);
    expect(side.pending).toBe(2);
    await turn();
    await turn();
    expect(await waited).toBe(42);
    await refused;
    expect(side.pending).toBe(0);
  });

  test("Node objects of the other side are used through their methods", () => {
    const module = openPair().shown({ url: () => new URL("https://example.org/a?b=1"), weak: new WeakMap<object, number>() });
    expect([module.url().pathname, module.url().searchParams.get("b")]).toEqual(["/a", "1"]);
    const key = {};
    module.weak.set(key, 5);
    expect(module.weak.get(key)).toBe(5);
  });
});

describe("a value that cannot cross is an error with its name", () => {
  test.each<[string, unknown, RegExp]>([
    ["a proxy", new Proxy({}, {}), /^A Proxy cannot be passed/],
    ["shared memory", new SharedArrayBuffer(1), /^A SharedArrayBuffer cannot be passed/],
    ["the process", process, /^The globals of a process cannot be passed/],
  ])("%s, passed or returned", (_, value, expected) => {
    const { shown } = openPair();
    const module = shown({ take: (_value: unknown) => 1, give: () => value, after: () => "still here" });
    expect(() => module.take({ deep: [value] })).toThrow(expected);
    expect(() => module.give()).toThrow(CannotCross);
    expect(() => module.give()).toThrow(expected);
    expect(module.after()).toBe("still here");
  });
});

describe("B3: a module gets only those values of the tests that were passed to it", () => {
  test("functions, prototypes and instances of the tests cannot be changed by the module", () => {
    const { shown } = openPair();
    const spoil = shown((value: object) => void Object.assign(Object.getPrototypeOf(value) as object, { save: () => "forged" }));
    class Store {
      save() {
        return "saved";
      }
    }
    const store = new Store();
    expect(() => spoil(store)).toThrow(MalformedFrame);
    expect(store.save()).toBe("saved");
    const spoilMath = shown((value: { max: unknown }) => void (value.max = () => "forged"));
    expect(() => spoilMath(Math)).toThrow(MalformedFrame);
    expect(Math.max(1, 2)).toBe(2);
    const write = shown((value: { count: number }) => void (value.count = 5));
    class Counter {
      count = 1;
    }
    const counter = new Counter();
    expect(() => write(counter)).toThrow(/cannot be changed by the module/);
    expect(counter.count).toBe(1);
  });

  test.each<[string, object]>([
    ["an object without a description", { values: [["o", -99]], objects: [] }],
    ["an object of the tests that was never sent", { values: [["o", 99]], objects: [] }],
    ["an unknown kind of value", { values: [["code", "process.exit()"]], objects: [] }],
    ["an unknown intrinsic", { values: [["i", "process"]], objects: [] }],
    ["a prototype that is a string", { values: [], objects: [{ id: -5, kind: "object", made: [], state: ["text", [], 0, []] }] }],
    [
      "an accessor that is not a function",
      { values: [], objects: [{ id: -5, kind: "object", made: [], state: [null, [["a", "b", 1, "c"]], 0, []] }] },
    ],
    ["a property without a name", { values: [], objects: [{ id: -5, kind: "object", made: [], state: [null, [[1, 2]], 0, []] }] }],
    [
      "an excessive length",
      { values: [], objects: [{ id: -5, kind: "buffer", made: [2 ** 40], state: [["i", "ArrayBuffer.prototype"], [], 0, [""]] }] },
    ],
    ["the end of an unknown promise", { values: [], objects: [], settled: [[-7, true, 1]] }],
  ])("a frame with %s is refused", (_, frame) => {
    const { test: side } = openPair();
    expect(() => side.unpack({ settled: [], ...frame } as never)).toThrow(MalformedFrame);
  });

  test("a call of a function that was never sent is refused", () => {
    const { test: side } = openPair();
    expect(() => side.serve({ do: "call", target: 1, values: [], objects: [], settled: [] })).toThrow(MalformedFrame);
    expect(side.serve({ do: "load", path: "x" })).toMatchObject({ ended: "fault" });
  });
});

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

describe("runs that share nothing", () => {
  test("objects after a checkpoint are dropped on both sides, earlier ones stay", () => {
    const pair = openPair();
    class Account {
      #balance = 1;
      get balance(): number {
        return this.#balance;
      }
    }
    const Shown = pair.shown(Account);
    const before = new Shown();
    const forget = pair.test.checkpoint();
    const after = new Shown();
    expect(after.balance).toBe(1);
    forget();
    expect(before.balance).toBe(1);
    expect(() => after.balance).toThrow("private member");
    expect(new Shown().balance).toBe(1);
  });

  test("a promise that is open at the checkpoint still settles", async () => {
    const pair = openPair();
    const { promise, resolve } = Promise.withResolvers<number>();
    const make = pair.shown(() => promise);
    const forget = pair.test.checkpoint();
    const shown = make();
    forget();
    resolve(7);
    await pair.turn();
    expect(await shown).toBe(7);
  });

  test("the module cannot ask the tests to drop or to measure anything", () => {
    const pair = openPair();
    expect(pair.test.serve({ do: "forget", tests: 0, module: 0 })).toMatchObject({ ended: "fault" });
    const nothing = { values: [], objects: [], settled: [] };
    expect(pair.test.serve({ do: "keep", n: 1, target: 1, ...nothing })).toMatchObject({ ended: "fault" });
    expect(pair.test.serve({ do: "compile", source: "1", names: [] })).toMatchObject({ ended: "fault" });
  });
});

describe("measured calls", () => {
  const openMeasuredPair = () => {
    const measured = openMeasuredCalls();
    return { ...openPair(measured.keep), measured };
  };

  test("get copies of their arguments, instances excepted, as often as asked", async () => {
    const pair = openMeasuredPair();
    const seen: unknown[][] = [];
    class Own {
      size = 1;
    }
    const [work, own] = [pair.shown((list: number[], one: object, text: string) => seen.push([list, one, text])), pair.shown(new Own())];
    pair.test.keep(10, work, [undefined, [1], own, "a"]);
    expect(seen).toEqual([]);
    const { times } = await pair.measured.measure({ n: 10, instances: 3, parts: 2, calls: 4 });
    expect(times).toHaveLength(2);
    expect(seen).toHaveLength(24);
    expect(new Set(seen.map(([list]) => list)).size).toBe(3);
    expect(new Set(seen.map(([, one]) => one)).size).toBe(1);
    expect(seen[0]?.[1]).toBeInstanceOf(Own);
  });

  test("of each size have the arguments of that size, and the arguments are no longer shared", async () => {
    const pair = openMeasuredPair();
    const seen: number[] = [];
    const work = pair.shown((list: number[]) => seen.push(list.length));
    pair.test.keep(1, work, [undefined, [0]]);
    const frames = pair.frames.length;
    pair.test.keep(2, work, [undefined, [0, 1]]);
    expect(JSON.stringify(pair.frames.slice(frames))).not.toContain("array");
    for (const n of [1, 2, 1]) await pair.measured.measure({ n, instances: 1, parts: 1, calls: 1 });
    expect(seen).toEqual([1, 2, 1]);
  });

  test("are set up from a text, anew for each instance, and asynchronous ones are awaited", async () => {
    const measured = openMeasuredCalls();
    const made: { n: number; done: number }[] = [];
    class Counter {
      done = 0;
      readonly n: number;
      constructor(n: number) {
        this.n = n;
        made.push(this);
      }
      async next(): Promise<void> {
        await Promise.resolve();
        this.done++;
      }
    }
    measured.compile("(n) => { const counter = new Counter(n); return [counter.next, [counter]]; }", { Counter });
    await measured.measure({ n: 5, instances: 2, parts: 3, calls: 2 });
    expect(made.map(({ n, done }) => [n, done])).toEqual([
      [5, 6],
      [5, 6],
    ]);
  });

  test("throw what the function throws; only functions of the module are measured", async () => {
    const pair = openMeasuredPair();
    const batch = { n: 1, instances: 1, parts: 1, calls: 1 };
    await expect(pair.measured.measure(batch)).rejects.toThrow("Nothing is prepared");
    const fails = pair.shown(() => {
      throw new RangeError("no");
    });
    pair.test.keep(1, fails, [undefined]);
    await expect(pair.measured.measure(batch)).rejects.toThrow("no");
    expect(() => pair.test.keep(1, () => 1, [])).toThrow("Only a function of the module");
  });
});
