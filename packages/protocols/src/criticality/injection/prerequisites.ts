import { moduleOf, type LatticeFunction } from "../lattice/lattice.ts";
import type { CallNode } from "./order.ts";

type Prerequisite = Pick<LatticeFunction, "id" | "name" | "signature" | "contract" | "calls">;

const CONSTRUCTORS = new Set(["constructor", "__init__", "__post_init__", "new"]);

/** A name, with the dot before it if it is a member. */
const NAME = /(?:\.\s*)?[A-Za-z_$][\w$]*/g;

/**
 * Functions with what has to be written before them: the functions that they call, those that their contract mentions, which their tests
 * call, and the constructors of classes in their signature, whose objects their tests make.
 */
export function withPrerequisites(functions: readonly Prerequisite[]): CallNode[] {
  const byName = Map.groupBy(functions, ({ name }) => name.split(".").at(-1) ?? name);
  const constructors = functions.filter(({ name }) => CONSTRUCTORS.has(name.split(".")[1] ?? ""));
  const ofClass = new Map(constructors.flatMap((one) => classOf(one).map((name) => [name, one.id] as const)));
  return functions.map((target) => {
    const types = [...classOf(target), ...(target.signature.match(/[A-Za-z_$][\w$]*/g) ?? [])];
    const mentioned = target.contract.clauses
      .flatMap((clause) => ("predicate" in clause ? (clause.predicate.match(NAME) ?? []) : []))
      .flatMap((name) => meant(byName.get(name.replace(/^\.\s*/, "")) ?? [], target, name.startsWith(".") ? types : null));
    const needed = [...target.calls, ...mentioned, ...types.flatMap((type) => ofClass.get(type) ?? [])];
    return { id: target.id, calls: [...new Set(needed)].filter((id) => id !== target.id) };
  });
}

/** Of the functions with one name: methods of classes in the signature, or the function of the same module, otherwise of any. */
function meant(candidates: readonly Prerequisite[], target: Prerequisite, types: readonly string[] | null): string[] {
  if (types !== null) return candidates.filter((one) => classOf(one).some((name) => types.includes(name))).map(({ id }) => id);
  const plain = candidates.filter((one) => classOf(one).length === 0);
  const own = plain.filter(({ id }) => moduleOf(id) === moduleOf(target.id));
  return (own.length > 0 ? own : plain).map(({ id }) => id);
}

/** None or one. */
function classOf({ name }: Pick<Prerequisite, "name">): string[] {
  return name.includes(".") ? name.split(".").slice(0, 1) : [];
}
