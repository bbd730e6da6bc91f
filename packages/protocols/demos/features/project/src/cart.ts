/** Prices are whole cents. */
export interface CartLine {
  readonly sku: string;
  readonly quantity: number;
  readonly unitCents: number;
}

export type Cart = readonly CartLine[];

/** The same article twice is one line with both quantities. */
export function addLine(cart: Cart, line: CartLine): Cart {
  if (!Number.isInteger(line.quantity) || line.quantity < 1) {
    throw new RangeError(`quantity must be a positive whole number, got ${line.quantity}`);
  }
  const present = cart.find(({ sku }) => sku === line.sku);
  const quantity = (present?.quantity ?? 0) + line.quantity;
  return [...cart.filter(({ sku }) => sku !== line.sku), { ...line, quantity }];
}

export function totalInCents(cart: Cart): number {
  return cart.reduce((sum, { quantity, unitCents }) => sum + quantity * unitCents, 0);
}
