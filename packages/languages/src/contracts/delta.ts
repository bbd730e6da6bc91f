import { canonicalJson } from "@slipway/durable/canonical";
import { DIMENSIONS, type Contract, type ContractDimension, type Dimensions } from "./schema.ts";

/** How one dimension differs; elements are named as in the contract, effects by type and target, modes by field. */
export interface DimensionDelta {
  readonly dimension: ContractDimension;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  /** The same elements in another order: callers pass by position. */
  readonly reordered: boolean;
}

/** The order of fields in an object does not matter. */
const MODES = ["sync", "async", "notes"] as const;

type Element = readonly [name: string, text: string];

/** Only the dimensions that differ; empty exactly when the fingerprints are equal. */
export function deltaOf(before: Dimensions, after: Dimensions): DimensionDelta[] {
  return DIMENSIONS.flatMap((dimension) => {
    const [left, right] = [elementsOf(before, dimension), elementsOf(after, dimension)];
    if (canonicalJson(left) === canonicalJson(right)) return [];
    const [was, is] = [new Map(left), new Map(right)];
    const kept = left.map(([name]) => name).filter((name) => is.has(name));
    return [
      {
        dimension,
        added: right.map(([name]) => name).filter((name) => !was.has(name)),
        removed: left.map(([name]) => name).filter((name) => !is.has(name)),
        changed: kept
          .map((name) => ({ name, before: was.get(name) ?? "", after: is.get(name) ?? "" }))
          .filter((change) => change.before !== change.after),
        reordered: right.filter(([name]) => was.has(name)).some(([name], index) => name !== kept[index]),
      },
    ];
  });
}

function elementsOf(contract: Dimensions, dimension: ContractDimension): Element[] {
  if (dimension === "modes") return MODES.map((name) => [name, canonicalJson(contract.modes[name])]);
  const counted = new Map<string, number>();
  return contract[dimension].map((element) => {
    const name = "target" in element ? `${element.type} ${element.target}` : element.name;
    const count = (counted.get(name) ?? 0) + 1;
    counted.set(name, count);
    return [count === 1 ? name : `${name} (${count})`, canonicalJson(element)];
  });
}

/** One line per difference, for people and for the agent that fixes it. */
export function deltaText(deltas: readonly DimensionDelta[]): string[] {
  return deltas.flatMap(({ dimension, added, removed, changed, reordered }) => [
    ...added.map((name) => `${dimension}: ${name} is not in the contract`),
    ...removed.map((name) => `${dimension}: ${name} is missing`),
    ...changed.map(({ name, before, after }) => `${dimension}: ${name} should be ${before} and is ${after}`),
    ...(reordered ? [`${dimension}: the order is another`] : []),
  ]);
}

export type Compatibility = "BACKWARD_COMPATIBLE" | "BREAKING" | "UNKNOWN";

/** Whether callers of `before` are still served: only optional inputs at the end, outputs and error surfaces may be new. */
export function compatibilityOf(before: Dimensions, after: Dimensions): Exclude<Compatibility, "UNKNOWN"> {
  const compatible = deltaOf(before, after).every(({ dimension, added, removed, changed, reordered }) => {
    if (removed.length > 0 || changed.length > 0 || reordered) return false;
    if (dimension === "outputs" || dimension === "error_surfaces") return true;
    return dimension === "inputs" && after.inputs.slice(-added.length).every((input) => added.includes(input.name) && isOptional(input));
  });
  return compatible ? "BACKWARD_COMPATIBLE" : "BREAKING";
}

function isOptional({ type, constraints }: Contract["inputs"][number]): boolean {
  return /\bundefined\b/.test(type) || constraints.some((constraint) => /^optional\b/i.test(constraint));
}
