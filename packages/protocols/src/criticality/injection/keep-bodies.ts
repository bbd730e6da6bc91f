import type { LanguageAdapter, SourceFunction, SourceTree } from "@slipway/languages/adapter";
import { parseContract } from "@slipway/languages/micro-contracts/parse";
import { printContract } from "@slipway/languages/micro-contracts/print";
import { SlipwayError } from "@slipway/agents/errors";
import type { Lattice, LatticeFunction } from "../lattice/lattice.ts";

/** What an earlier program in the repository means for a new lattice. */
export interface KeepPlan {
  /** Bodies of functions whose signature and contract have not changed, by id. */
  readonly kept: Readonly<Record<string, string>>;
  /** Functions of the earlier program that the new lattice has in another form. */
  readonly changed: readonly string[];
  readonly added: readonly string[];
}

/** Compares a lattice with the sources of an earlier program: an unchanged signature and contract keep their body. */
export function planKeeping({ functions }: Lattice, earlier: SourceTree, language: LanguageAdapter): KeepPlan {
  const known = new Map(Object.entries(earlier).flatMap(([path, text]) => bodiesIn(path, text, language)));
  const kept: Record<string, string> = {};
  const changed: string[] = [];
  const added: string[] = [];
  for (const target of functions) {
    const before = known.get(target.id);
    if (before === undefined) added.push(target.id);
    else if (before.form === formOf(target)) kept[target.id] = before.body;
    else changed.push(target.id);
  }
  return { kept, changed, added };
}

export function keepText({ kept, changed, added }: KeepPlan): string {
  return `${Object.keys(kept).length} functions are unchanged and keep their bodies, ${changed.length} have changed, ${added.length} are new`;
}

interface EarlierBody {
  readonly form: string;
  readonly body: string;
}

function bodiesIn(path: string, text: string, language: LanguageAdapter): (readonly [string, EarlierBody])[] {
  return functionsIn(text, language)
    .filter(({ isHole, doc }) => !isHole && doc !== null)
    .map(({ name, signature, doc, docLine, body }) => {
      const { clauses } = parseContract(doc ?? "", docLine, null);
      const source = text.slice(body.start, body.end);
      return [`${path}#${name}`, { form: formOf({ signature, contract: { clauses } }), body: withoutBraces(source) }] as const;
    });
}

/** A file that somebody edited into something else holds no bodies to keep. */
function functionsIn(text: string, language: LanguageAdapter): readonly SourceFunction[] {
  try {
    return language.parseAst(text).functions;
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "source_syntax") return [];
    throw error;
  }
}

function formOf({ signature, contract }: Pick<LatticeFunction, "signature" | "contract">): string {
  return `${signature}\n${printContract(contract)}`;
}

function withoutBraces(body: string): string {
  return body.startsWith("{") && body.endsWith("}") ? body.slice(1, -1).trim() : body;
}
