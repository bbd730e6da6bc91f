import type { Attempted } from "../cassette.ts";

export const BODIES: Readonly<Record<string, readonly Attempted[]>> = {
  "domain.sku.parseSku": [
    { body: "const code = text.trim().toUpperCase();\nreturn /^[A-Z]{3}-[0-9]{4}$/.test(code ? sku(code) : null;" },
    { body: "const code = text.trim().toUpperCase();\nreturn /^[A-Z]{3}-[0-9]{4}$/.test(code) ? sku(code) : null;" },
  ],
  "domain.sku.splitSku": [
    { body: 'const [family = "", serial = ""] = code.split("-");\nreturn { family, serial };' },
    { body: 'const [family = "", serial = ""] = code.split("-");\nreturn { family, serial: Number(serial) };' },
  ],
  "domain.sku.formatSku": [
    {
      body: `if (!/^[A-Z]{3}$/.test(parts.family)) throw new RangeError("The family must be three capital letters.");
if (!Number.isInteger(parts.serial) || parts.serial < 0 || parts.serial > 9999) throw new RangeError("The serial number must have up to four digits.");
return sku(\`\${parts.family}-\${String(parts.serial).padStart(4, "0")}\`);`,
    },
  ],
  "domain.sku.compareSkus": [{ body: "if (left === right) return 0;\nreturn left < right ? -1 : 1;" }],
  "domain.collections.chunk": [
    {
      body: `if (!Number.isInteger(size) || size <= 0) throw new RangeError("The size must be a whole number above zero.");
const parts: T[][] = [];
for (let at = 0; at + size <= items.length; at += size) parts.push(items.slice(at, at + size));
return parts;`,
    },
    {
      body: `if (!Number.isInteger(size) || size <= 0) throw new RangeError("The size must be a whole number above zero.");
const parts: T[][] = [];
for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size));
return parts;`,
    },
  ],
  "domain.collections.groupBy": [
    {
      by: "structurer",
      body: `const groups = new Map<K, T[]>();
console.log(\`grouping \${items.length} items\`);
for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
return groups;`,
    },
    {
      by: "architect",
      body: `const groups = new Map<K, T[]>();
for (const item of items) {
  const key = keyOf(item);
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}
return groups;`,
    },
  ],
  "domain.collections.distinct": [{ body: "return new Set(items);" }],
  "domain.collections.partition": [
    {
      body: `const chosen: T[] = [];
const others: T[] = [];
for (const item of items) (wanted(item) ? chosen : others).push(item);
return { chosen, others };`,
    },
  ],
  "domain.collections.sumBy": [{ body: "return items.reduce((sum, item) => sum + valueOf(item), 0);" }],
  "domain.category.treeSize": [{ body: "return 1 + forestSize(category.children);" }],
  "domain.category.forestSize": [{ body: "return categories.reduce((sum, category) => sum + treeSize(category), 0);" }],
  "domain.category.categoryNames": [{ body: "return [category.name, ...category.children.flatMap((child) => categoryNames(child))];" }],
  "domain.category.findCategory": [
    { body: "const matches = new Function('root', 'name', 'return root.name === name');\nreturn matches(root, name) ? root : undefined;" },
    {
      by: "architect",
      body: `if (root.name === name) return root;
for (const child of root.children) {
  const found = findCategory(child, name);
  if (found !== undefined) return found;
}
return undefined;`,
    },
  ],
  "domain.category.pathTo": [
    {
      body: `if (root.name === name) return [root.name];
for (const child of root.children) {
  const path = pathTo(child, name);
  if (path.length > 0) return [root.name, ...path];
}
return [];`,
    },
  ],
  "services.stock.Stock.constructor": [{ body: "this.#quantities = new Map(initial);" }],
  "services.stock.Stock.quantityOf": [{ body: "return this.#quantities.get(sku) ?? count(0);" }],
  "services.stock.Stock.receive": [{ body: "this.#quantities.set(sku, count(this.quantityOf(sku) + quantity));" }],
  "services.stock.Stock.ship": [
    {
      body: `const left = this.quantityOf(sku) - quantity;
if (left < 0) throw new RangeError(\`There are too few of \${sku}.\`);
this.#quantities.set(sku, count(left));`,
    },
  ],
  "services.reservations.Reservations.reserve": [
    {
      body: `const id = this.#nextId;
this.#nextId += 1;
this.#reservations.set(id, { sku, quantity, expires: Date.now() + RESERVATION_MS });
return id;`,
    },
  ],
  "services.reservations.Reservations.isActive": [
    { body: "const reservation = this.#reservations.get(id);\nreturn reservation !== undefined && Date.now() < reservation.expires;" },
  ],
  "services.reservations.Reservations.release": [
    { body: "const wasActive = this.isActive(id);\nthis.#reservations.delete(id);\nreturn wasActive;" },
  ],
  "services.orders.orderTotal": [{ body: "return count(sumBy(lines, (line) => line.quantity * line.unitPrice));" }],
  "services.orders.wantedQuantities": [
    {
      body: `const wanted = new Map<Sku, PositiveCount>();
for (const { sku, quantity } of lines) wanted.set(sku, positiveCount((wanted.get(sku) ?? 0) + quantity));
return wanted;`,
    },
  ],
  "services.orders.missingArticles": [
    {
      body: `return [...wantedQuantities(lines)].filter(([sku, quantity]) => stock.quantityOf(sku) < quantity).map(([sku]) => sku);`,
    },
  ],
  "services.orders.refusalText": [
    { body: 'return missing.length === 0 ? "The order was refused." : `There are too few of ${missing.join(", ")}.`;' },
  ],
  "services.orders.placeOrder": [
    {
      body: `if (lines.length === 0) return { ok: false, reason: "The order is empty." };
const missing = missingArticles(stock, lines);
if (missing.length > 0) return { ok: false, reason: refusalText(missing) };
const wanted = wantedQuantities(lines);
for (const [sku, quantity] of wanted) stock.ship(sku, quantity);
const cents = orderTotal(lines);
if (await payment.charge(cents)) return { ok: true, cents };
for (const [sku, quantity] of wanted) stock.receive(sku, quantity);
return { ok: false, reason: "The payment was refused." };`,
    },
  ],
};
