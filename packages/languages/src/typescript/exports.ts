import { SignatureKind, SymbolFlags, type Checker, type Signature, type Symbol, type Type } from "typescript/unstable/sync";
import type { OpenProject } from "./compiler.ts";
import { ENTRY_FILE } from "./layout.ts";

/** Something a module exports that exists at run time. */
export type Exported = { readonly name: string; readonly type: Type } & (
  | { readonly kind: "function"; readonly signature: Signature; readonly overloads: number }
  | { readonly kind: "error" }
  | { readonly kind: "value" }
);

/** Types are left out: a contract spells them out itself. */
export function exportsOf({ checker, file }: OpenProject, path: string = ENTRY_FILE): Exported[] {
  const source = file(path);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) return [];
  return checker.getExportsOfModule(module).flatMap((symbol) => exported(checker, symbol));
}

function exported(checker: Checker, symbol: Symbol): Exported[] {
  const { name } = symbol;
  const target = (symbol.flags & SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
  const type = (target.flags & SymbolFlags.Value) === 0 ? undefined : checker.getTypeOfSymbol(target);
  if (type === undefined) return [];
  const [signature, ...more] = checker.getSignaturesOfType(type, SignatureKind.Call);
  if (signature !== undefined) return [{ kind: "function", name, type, signature, overloads: more.length }];
  return [{ kind: makesErrors(checker, type) ? "error" : "value", name, type }];
}

function makesErrors(checker: Checker, type: Type): boolean {
  const [made] = checker.getSignaturesOfType(type, SignatureKind.Construct);
  const instance = made === undefined ? undefined : checker.getReturnTypeOfSignature(made);
  if (instance === undefined) return false;
  return ["name", "message", "stack"].every((property) => checker.getPropertyOfType(instance, property) !== undefined);
}

/** How the function of a contract is called: its name in camel case. */
export function entryName(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
  return words.map((word, index) => (index === 0 ? word[0]?.toLowerCase() : word[0]?.toUpperCase()) + word.slice(1)).join("");
}
