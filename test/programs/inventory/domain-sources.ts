export const SKU = `import { sku, type Sku } from "../witnesses/sku.ts";

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
 * PURITY: pure
 */
export function compareSkus(left: Sku, right: Sku): number {
  throw new Error("hole");
}
`;

export const COLLECTIONS = `/** Two lists that together have every element. */
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

export const CATEGORY = `/** A category with the categories below it. */
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
