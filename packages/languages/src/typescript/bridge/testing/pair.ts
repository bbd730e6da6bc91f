import { openMembrane, type Membrane, type MembraneOptions } from "../membrane.ts";
import type { WireAnswer, Packed, WireRequest } from "../wire.ts";

export interface Pair {
  readonly test: Membrane;
  readonly module: Membrane;
  /** A value of the module, as the tests see it. */
  shown<T>(value: T): T;
  /** Runs both event loops once. */
  turn(): Promise<void>;
  /** Everything that was sent to the tests. */
  readonly frames: (Packed | WireAnswer)[];
}

/** Both sides in one process, with only JSON between them. */
export function openPair(onKept: NonNullable<MembraneOptions["onKept"]> = () => undefined): Pair {
  const frames: Pair["frames"] = [];
  const over = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  const toTests = <T extends Packed | WireAnswer>(value: T): T => {
    frames.push(value);
    return over(value);
  };
  const sides: { test: Membrane; module: Membrane } = {
    test: openMembrane({ side: "test", ask: (request: WireRequest): WireAnswer => toTests(sides.module.serve(over(request))) }),
    module: openMembrane({ side: "module", ask: (request: WireRequest): WireAnswer => over(sides.test.serve(over(request))), onKept }),
  };
  return {
    ...sides,
    frames,
    shown: (value) => sides.test.unpack(toTests(sides.module.pack([value])))[0] as typeof value,
    async turn() {
      for (let round = 0; round < 3; round++) {
        await new Promise(setImmediate);
        sides.module.unpack(over(sides.test.pack([])));
        await new Promise(setImmediate);
        sides.test.unpack(toTests(sides.module.pack([])));
      }
    },
  };
}
