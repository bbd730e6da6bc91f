export const WAREHOUSE = `import type { Count } from "../witnesses/count.ts";
import type { Sku } from "../witnesses/sku.ts";

/** Extension point for several warehouses. */
export interface Warehouse {
  readonly id: string;
  quantityOf(sku: Sku): Count;
}
`;

export const STOCK = `import { count, type Count } from "../witnesses/count.ts";
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

export const RESERVATIONS = `import type { PositiveCount } from "../witnesses/positive-count.ts";
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

export const ORDERS = `import { sumBy } from "../domain/collections.ts";
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
