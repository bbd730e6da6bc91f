import { describe, expect, test } from "vitest";
import type { SourceTree } from "../../adapter.ts";
import { generateWitness } from "../witness.ts";
import { HOLE } from "./hole.ts";
import { typeDefinitions } from "./type-definitions.ts";

const WITNESS = generateWitness({
  name: "PositiveAmount",
  description: "An amount above zero",
  base: { generic: false, type_params: [], inner_type: "number" },
  invariants: [{ id: "positive", description: "Above zero", formal: "value > 0", testable: true }],
  constructors: [{ name: "positive_amount", trust_level: "safe" }],
});

const TREE: SourceTree = {
  [WITNESS.path]: WITNESS.text,
  "src/domain/money.ts": `import type { Currency } from "./currency.ts";

/** An amount in a currency. */
export interface Money {
  readonly amount: number;
  readonly currency: Currency;
}

export function add(a: Money, b: Money): Money {
  return SECRET_BODY;
}
`,
  "src/domain/currency.ts": `import type { Region } from "./region.ts";\nexport type Currency = "EUR" | Region;\n`,
  "src/domain/region.ts": `export type Region = "US";\n`,
  "src/domain/all.ts": `export * from "./money.ts";\nexport { Currency as Coin } from "./currency.ts";\n`,
  "src/domain/account.ts": `import type { PositiveAmount } from "../witnesses/positive-amount.ts";
import { add, type Money } from "./all.ts";

/** What an account may do. */
export const LIMITS = { most: 5 } as const;
const helpers = { round(a: number): number { return SECRET_BODY; }, times: (a: number): number => SECRET_BODY, most: 3 } as const;
export const scale = <T extends Money>(a: T, ...by: readonly number[]): T => SECRET_BODY;

/** An account. */
export class Account {
  /** Never negative. */
  readonly balance: Money;
  #log: string[] = SECRET_FIELD;
  private readonly notes = "n";
  static readonly kind = "account";
  static { SECRET_BODY; }
  onChange: (a: Money) => void = (a) => SECRET_BODY;
  compare = (a: Money): number => SECRET_BODY;

  constructor(balance: Money) {
    ${HOLE}
  }

  /**
   * REQUIRES: amount > 0 (witnessed by PositiveAmount type)
   * ENSURES: add(this.balance, LIMITS.most) is used
   */
  deposit(amount: PositiveAmount): Money {
    return SECRET_BODY;
  }

  #check(a: number): boolean { return SECRET_BODY; }
}

/** Opens one. */
export function open(kind: string): Account;
export function open(kind: number): Account;
export function open(kind: string | number): Account {
  return SECRET_BODY;
}

/** uses helpers and scale */
export function close(account: Account, limits: typeof LIMITS): void {
  ${HOLE}
}

function generic<Money extends string>(a: Money): Money {
  ${HOLE}
}
`,
};
const PATH = "src/domain/account.ts";

describe("definitions for a function", () => {
  test("are the types of its signature and its contract, its class with private members, and signatures of what the contract names", () => {
    expect(typeDefinitions(TREE, PATH, "Account.deposit", 1)).toMatchInlineSnapshot(`
      "// src/domain/account.ts
      /** What an account may do. */
      export const LIMITS = { most: 5 } as const;

      /** An account. */
      export class Account {
        /** Never negative. */
        readonly balance: Money;
        #log: string[];
        private readonly notes: "n";
        static readonly kind: "account";
        onChange: (a: Money) => void;
        compare: (a: Money) => number;
        constructor(balance: Money);
        /**
         * REQUIRES: amount > 0 (witnessed by PositiveAmount type)
         * ENSURES: add(this.balance, LIMITS.most) is used
         */
        deposit(amount: PositiveAmount): Money;
        #check(a: number): boolean;
      }

      // src/domain/money.ts
      /** An amount in a currency. */
      export interface Money {
        readonly amount: number;
        readonly currency: Currency;
      }

      export function add(a: Money, b: Money): Money;

      // src/witnesses/positive-amount.ts
      /**
       * An amount above zero
       * INVARIANT positive: Above zero [value > 0]
       */
      export type PositiveAmount = number & { readonly [positiveAmountBrand]: true };

      /** Whether the value has every invariant. */
      export function isPositiveAmount(value: number): value is PositiveAmount;

      /** Throws a RangeError if an invariant that can be checked does not hold. */
      export function positiveAmount(value: number): PositiveAmount;
      "
    `);
  });

  test("of other classes leave private members out, and constants with functions become types", () => {
    expect(typeDefinitions(TREE, PATH, "close", 1)).toMatchInlineSnapshot(`
      "// src/domain/account.ts
      /** What an account may do. */
      export const LIMITS = { most: 5 } as const;

      declare const helpers: { round: (a: number) => number; times: (a: number) => number; most: 3 };

      declare const scale: <T extends Money>(a: T, ...by: readonly number[]) => T;

      /** An account. */
      export class Account {
        /** Never negative. */
        readonly balance: Money;
        static readonly kind: "account";
        onChange: (a: Money) => void;
        compare: (a: Money) => number;
        constructor(balance: Money);
        /**
         * REQUIRES: amount > 0 (witnessed by PositiveAmount type)
         * ENSURES: add(this.balance, LIMITS.most) is used
         */
        deposit(amount: PositiveAmount): Money;
      }
      "
    `);
  });

  test("go one step further with each depth", () => {
    const at = (depth: number) => typeDefinitions(TREE, "src/domain/money.ts", "add", depth);
    expect(at(1)).toContain("interface Money");
    expect(at(1)).not.toContain("type Currency");
    expect(at(2)).toContain("type Currency");
    expect(at(2)).not.toContain("type Region");
    expect(at(3)).toContain("type Region");
    expect(at(9)).toBe(at(3));
  });

  test("include functions that are asked for, with overloads and contract", () => {
    const text = typeDefinitions(TREE, "src/domain/money.ts", "add", 1, [`${PATH}#open`, "src/none.ts#f", "nonsense"]);
    expect(text).toContain(
      "/** Opens one. */\nexport function open(kind: string): Account;\n\nexport function open(kind: number): Account;\n\nexport function open(kind: string | number): Account;",
    );
    expect(typeDefinitions(TREE, "src/domain/money.ts", "add", 1, [`${PATH}#Account.deposit`])).toContain(
      "deposit(amount: PositiveAmount): Money;",
    );
  });

  test("never contain a body, and are the same each time", () => {
    for (const depth of [1, 2, 3]) {
      for (const name of [
        "Account.deposit",
        "Account.constructor",
        "Account.check",
        "open",
        "close",
        "helpers.round",
        "scale",
        "Account.compare",
      ]) {
        const text = typeDefinitions(TREE, PATH, name, depth, [`${PATH}#open`, "src/domain/money.ts#add"]);
        expect(text).not.toMatch(/SECRET|throw new|RangeError\(/);
        expect(
          typeDefinitions(Object.fromEntries(Object.entries(TREE).toReversed()), PATH, name, depth, [
            `${PATH}#open`,
            "src/domain/money.ts#add",
          ]),
        ).toBe(text);
      }
    }
  });

  test("know a type parameter from a type of the same name", () => {
    expect(typeDefinitions(TREE, PATH, "generic", 2)).toBe("");
  });

  test("of a function that does not exist are function_not_found", () => {
    expect(() => typeDefinitions(TREE, PATH, "missing", 1)).toThrow(expect.objectContaining({ code: "function_not_found" }));
    expect(() => typeDefinitions(TREE, "src/none.ts", "f", 1)).toThrow(expect.objectContaining({ code: "function_not_found" }));
  });
});
