import type { Scaffold } from "@slipway/protocols/criticality/lattice/scaffold";
import type { WitnessDefinition } from "@slipway/languages/witnesses/definition";

const number = { generic: false, type_params: [], inner_type: "number" };

export const WITNESSES: WitnessDefinition[] = [
  {
    name: "Sku",
    description: "An article number such as ABC-1234.",
    base: { generic: false, type_params: [], inner_type: "string" },
    invariants: [
      {
        id: "form",
        description: "Three capital letters, a hyphen, four digits",
        formal: "/^[A-Z]{3}-[0-9]{4}$/.test(value)",
        testable: true,
      },
    ],
    constructors: [{ name: "sku", trust_level: "safe" }],
  },
  {
    name: "Count",
    description: "A whole number that is zero or more.",
    base: number,
    invariants: [
      { id: "count", description: "Whole and not below zero", formal: "Number.isSafeInteger(value) && value >= 0", testable: true },
    ],
    constructors: [{ name: "count", trust_level: "safe" }],
  },
  {
    name: "PositiveCount",
    description: "A whole number above zero.",
    base: number,
    invariants: [
      { id: "positive", description: "Whole and above zero", formal: "Number.isSafeInteger(value) && value > 0", testable: true },
    ],
    constructors: [{ name: "positiveCount", trust_level: "safe" }],
  },
];

const SKU = `import { sku, type Sku } from "../witnesses/sku.ts";

/** The parts of an article number. */
export interface SkuParts {
  readonly family: string;
  readonly serial: number;
}

/**
 * Reads an article number from a label. Spaces around it and small letters are allowed.
 *
 * ENSURES: result === null || result === text.trim().toUpperCase()
 * ENSURES: /^[A-Z]{3}-[0-9]{4}$/.test(text) implies result === text
 * PURITY: pure
 * CLAIM_REF: sku_001
 */
export function parseSku(text: string): Sku | null {
  throw new Error("hole");
}

/**
 * ENSURES: result.family.length === 3
 * ENSURES: result.serial >= 0 && result.serial <= 9999
 * ENSURES: formatSku(result) === code
 * PURITY: pure
 */
export function splitSku(code: Sku): SkuParts {
  throw new Error("hole");
}

/**
 * REQUIRES: /^[A-Z]{3}$/.test(parts.family)
 * REQUIRES: Number.isInteger(parts.serial) && parts.serial >= 0 && parts.serial <= 9999
 * ENSURES: result === \`\${parts.family}-\${String(parts.serial).padStart(4, "0")}\`
 * PURITY: pure
 * CLAIM_REF: sku_001
 */
export function formatSku(parts: SkuParts): Sku {
  throw new Error("hole");
}

/**
 * Order of shelves: by family, then by serial number.
 *
 * ENSURES: left === right implies result === 0
 * ENSURES: left < right implies result < 0
 * ENSURES: left > right implies result > 0
 * COMPLEXITY: O(1)
 * PURITY: pure
 */
export function compareSkus(left: Sku, right: Sku): number {
  throw new Error("hole");
}
`;

const COLLECTIONS = `/** Two lists that together have every element. */
export interface Parted<T> {
  readonly chosen: readonly T[];
  readonly others: readonly T[];
}

/**
 * REQUIRES: Number.isInteger(size) && size > 0
 * ENSURES: result.flat().length === items.length
 * ENSURES: result.every((part) => part.length > 0 && part.length <= size)
 * PURITY: pure
 */
export function chunk<T>(items: readonly T[], size: number): T[][] {
  throw new Error("hole");
}

/**
 * ENSURES: [...result.values()].flat().length === items.length
 * ENSURES: [...result].every(([key, group]) => group.length > 0 && group.every((item) => keyOf(item) === key))
 * PURITY: pure
 */
export function groupBy<T, K extends string>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  throw new Error("hole");
}

/**
 * ENSURES: result.size <= [...items].length
 * ENSURES: [...items].every((item) => result.has(item))
 * PURITY: pure
 */
export function distinct<T>(items: Iterable<T>): Set<T> {
  throw new Error("hole");
}

/**
 * ENSURES: result.chosen.length + result.others.length === items.length
 * ENSURES: result.chosen.every((item) => wanted(item)) && !result.others.some((item) => wanted(item))
 * PURITY: pure
 */
export function partition<T>(items: readonly T[], wanted: (item: T) => boolean): Parted<T> {
  throw new Error("hole");
}

/**
 * ENSURES: items.length === 0 implies result === 0
 * ENSURES: result === items.map((item) => valueOf(item)).reduce((sum, value) => sum + value, 0)
 * PURITY: pure
 */
export function sumBy<T>(items: readonly T[], valueOf: (item: T) => number): number {
  throw new Error("hole");
}
`;

const CATEGORY = `/** A category with the categories below it. */
export interface Category {
  readonly name: string;
  readonly children: readonly Category[];
}

/**
 * ENSURES: result === 1 + forestSize(category.children)
 * PURITY: pure
 * CLAIM_REF: category_001
 */
export function treeSize(category: Category): number {
  throw new Error("hole");
}

/**
 * ENSURES: categories.length === 0 implies result === 0
 * ENSURES: result >= categories.length
 * ENSURES: categories.length === 1 implies result === treeSize(categories[0])
 * PURITY: pure
 * CLAIM_REF: category_001
 */
export function forestSize(categories: readonly Category[]): number {
  throw new Error("hole");
}

/**
 * The names of all categories, each before those below it.
 *
 * ENSURES: result.length === treeSize(category)
 * ENSURES: result[0] === category.name
 * PURITY: pure
 */
export function categoryNames(category: Category): string[] {
  throw new Error("hole");
}

/**
 * ENSURES: result === undefined || result.name === name
 * ENSURES: result === undefined implies !categoryNames(root).includes(name)
 * PURITY: pure
 */
export function findCategory(root: Category, name: string): Category | undefined {
  throw new Error("hole");
}

/**
 * The names from the root to the first category of that name; empty if there is none.
 *
 * ENSURES: result.length === 0 || (result[0] === root.name && result.at(-1) === name)
 * ENSURES: findCategory(root, name) === undefined implies result.length === 0
 * PURITY: pure
 */
export function pathTo(root: Category, name: string): readonly string[] {
  throw new Error("hole");
}
`;

const WAREHOUSE = `import type { Count } from "../witnesses/count.ts";
import type { Sku } from "../witnesses/sku.ts";

/** Extension point for several warehouses. */
export interface Warehouse {
  readonly id: string;
  quantityOf(sku: Sku): Count;
}
`;

const STOCK = `import { count, type Count } from "../witnesses/count.ts";
import type { PositiveCount } from "../witnesses/positive-count.ts";
import type { Sku } from "../witnesses/sku.ts";

/** What is in the warehouse. */
export class Stock {
  readonly #quantities: Map<Sku, Count>;

  /**
   * ENSURES: [...initial].every(([sku, quantity]) => result.quantityOf(sku) === quantity)
   * PURITY: pure
   */
  constructor(initial: ReadonlyMap<Sku, Count>) {
    throw new Error("hole");
  }

  /**
   * ENSURES: result >= 0
   * COMPLEXITY: O(1)
   * PURITY: reads
   * CLAIM_REF: stock_001
   */
  quantityOf(sku: Sku): Count {
    throw new Error("hole");
  }

  /**
   * ENSURES: this.quantityOf(sku) === old(this.quantityOf(sku)) + quantity
   * PURITY: writes
   * CLAIM_REF: stock_001
   */
  receive(sku: Sku, quantity: PositiveCount): void {
    throw new Error("hole");
  }

  /**
   * REQUIRES: this.quantityOf(sku) >= quantity
   * ENSURES: this.quantityOf(sku) === old(this.quantityOf(sku)) - quantity
   * PURITY: writes
   * CLAIM_REF: stock_001
   * CLAIM_REF: stock_002
   */
  ship(sku: Sku, quantity: PositiveCount): void {
    throw new Error("hole");
  }
}
`;

const RESERVATIONS = `import type { PositiveCount } from "../witnesses/positive-count.ts";
import type { Sku } from "../witnesses/sku.ts";

export const RESERVATION_MS = 900_000;

export interface Reservation {
  readonly sku: Sku;
  readonly quantity: PositiveCount;
  /** Milliseconds since 1970. */
  readonly expires: number;
}

/** Articles that are put aside for a while. */
export class Reservations {
  readonly #reservations: Map<number, Reservation> = new Map();
  #nextId = 1;

  /**
   * ENSURES: Number.isInteger(result) && result > 0
   * ENSURES: this.isActive(result)
   * PURITY: io
   * CLAIM_REF: reservation_001
   */
  reserve(sku: Sku, quantity: PositiveCount): number {
    throw new Error("hole");
  }

  /**
   * An unknown id is not active.
   *
   * ENSURES: !Number.isInteger(id) implies !result
   * PURITY: reads
   * CLAIM_REF: reservation_001
   */
  isActive(id: number): boolean {
    throw new Error("hole");
  }

  /**
   * ENSURES: !this.isActive(id)
   * ENSURES: result === old(this.isActive(id))
   * PURITY: writes
   */
  release(id: number): boolean {
    throw new Error("hole");
  }
}
`;

const ORDERS = `import { sumBy } from "../domain/collections.ts";
import { count, type Count } from "../witnesses/count.ts";
import type { PositiveCount } from "../witnesses/positive-count.ts";
import type { Sku } from "../witnesses/sku.ts";
import { Stock } from "./stock.ts";

export interface OrderLine {
  readonly sku: Sku;
  readonly quantity: PositiveCount;
  /** In cents. */
  readonly unitPrice: Count;
}

/** Takes money from the customer. False if it is refused. */
export interface PaymentGateway {
  charge(cents: Count): Promise<boolean>;
}

export type OrderResult = { readonly ok: true; readonly cents: Count } | { readonly ok: false; readonly reason: string };

/**
 * ENSURES: lines.length === 0 implies result === 0
 * ENSURES: lines.every((line) => result >= line.quantity * line.unitPrice)
 * PURITY: pure
 */
export function orderTotal(lines: readonly OrderLine[]): Count {
  throw new Error("hole");
}

/**
 * Quantities by article, because an order may have several lines of one article.
 *
 * ENSURES: lines.every((line) => (result.get(line.sku) ?? 0) >= line.quantity)
 * ENSURES: result.size <= lines.length
 * PURITY: pure
 */
export function wantedQuantities(lines: readonly OrderLine[]): Map<Sku, PositiveCount> {
  throw new Error("hole");
}

/**
 * Articles of which there are too few.
 *
 * ENSURES: result.every((sku) => lines.some((line) => line.sku === sku))
 * ENSURES: lines.length === 0 implies result.length === 0
 * ENSURES: lines.every((line) => result.includes(line.sku) || stock.quantityOf(line.sku) >= line.quantity)
 * PURITY: reads
 */
export function missingArticles(stock: Stock, lines: readonly OrderLine[]): Sku[] {
  throw new Error("hole");
}

/**
 * ENSURES: missing.length > 0 implies missing.every((sku) => result.includes(sku))
 * ENSURES: result.endsWith(".")
 * PURITY: pure
 * CLAIM_REF: order_003
 */
export function refusalText(missing: readonly Sku[]): string {
  throw new Error("hole");
}

/**
 * Takes the articles out of the stock before it charges, and puts them back if the payment is refused.
 *
 * ENSURES: lines.length === 0 implies !result.ok
 * ENSURES: result.ok implies result.cents === orderTotal(lines)
 * ENSURES: !result.ok implies result.reason.length > 0
 * PURITY: io
 * CLAIM_REF: order_001
 * CLAIM_REF: order_002
 */
export async function placeOrder(stock: Stock, lines: readonly OrderLine[], payment: PaymentGateway): Promise<OrderResult> {
  throw new Error("hole");
}
`;

export const SKELETON: Scaffold = {
  files: [
    { path: "src/domain/sku.ts", feature: "articles", text: SKU },
    { path: "src/domain/category.ts", feature: "articles", text: CATEGORY },
    { path: "src/domain/collections.ts", feature: null, text: COLLECTIONS },
    { path: "src/domain/warehouse.ts", feature: "warehouses", text: WAREHOUSE },
    { path: "src/services/stock.ts", feature: "stock", text: STOCK },
    { path: "src/services/reservations.ts", feature: "reservations", text: RESERVATIONS },
    { path: "src/services/orders.ts", feature: "orders", text: ORDERS },
  ],
  calls: [
    { function: "src/domain/category.ts#treeSize", calls: ["src/domain/category.ts#forestSize"] },
    { function: "src/domain/category.ts#forestSize", calls: ["src/domain/category.ts#treeSize"] },
    { function: "src/domain/category.ts#pathTo", calls: ["src/domain/category.ts#findCategory"] },
    { function: "src/services/orders.ts#orderTotal", calls: ["src/domain/collections.ts#sumBy"] },
    {
      function: "src/services/orders.ts#missingArticles",
      calls: ["src/services/orders.ts#wantedQuantities", "src/services/stock.ts#Stock.quantityOf"],
    },
    {
      function: "src/services/orders.ts#placeOrder",
      calls: [
        "src/services/orders.ts#missingArticles",
        "src/services/orders.ts#refusalText",
        "src/services/orders.ts#orderTotal",
        "src/services/orders.ts#wantedQuantities",
        "src/services/stock.ts#Stock.ship",
        "src/services/stock.ts#Stock.receive",
      ],
    },
  ],
};
