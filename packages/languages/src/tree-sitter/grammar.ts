import type { SourceFunction } from "../adapter.ts";
import type { GrammarId, SyntaxNode } from "./grammars.ts";

export type Parameter = SourceFunction["parameters"][number];

/** Where things are in the syntax tree of one language. */
export interface Grammar {
  readonly id: GrammarId;
  /** The text of a hole. */
  readonly hole: string;
  /** Kinds of nodes that define a function. */
  readonly functions: ReadonlySet<string>;
  /** The name of a class, module or namespace, which becomes part of the names inside it; null for other nodes. */
  scopeName(node: SyntaxNode): string | null;
  /** With the type it belongs to, where the declaration itself names it: `Account.deposit`. */
  nameOf(definition: SyntaxNode): string | null;
  parametersOf(definition: SyntaxNode): readonly Parameter[];
  returnsOf(definition: SyntaxNode): string;
  /** The block of a definition; null if it is a declaration only. */
  blockOf(definition: SyntaxNode): SyntaxNode | null;
  /** The outermost node of the declaration: with decorators or template parameters. */
  outermost(definition: SyntaxNode): SyntaxNode;
  isExported(definition: SyntaxNode, name: string): boolean;
  /** Statements of a body without comments and documentation. */
  statementsOf(block: SyntaxNode): readonly SyntaxNode[];
  isHoleStatement(statement: SyntaxNode): boolean;
  /** The callee of a call, as written; null for other nodes. */
  calleeOf(node: SyntaxNode): string | null;
  readonly comments: ReadonlySet<string>;
  /** Whether a comment is documentation of what follows it. */
  isDocumentation(comment: SyntaxNode): boolean;
  /** Literals that may span lines, which a change of indentation must not touch. */
  readonly literals: ReadonlySet<string>;
  /** Nodes of the grammar that may be empty; any other empty node is one the parser invented. */
  readonly mayBeEmpty: ReadonlySet<string>;
  /** Nodes in a body that change the meaning of text after it, such as a macro definition of C++. */
  readonly escaping: ReadonlySet<string>;
  readonly metrics: MetricKinds;
  /** Kinds of type definitions, for the context of a function. */
  readonly types: ReadonlySet<string>;
  /** Statements at the top level that run when the file is loaded. */
  isLoadStatement(statement: SyntaxNode): boolean;
}

/** Kinds of nodes that the measures count. */
export interface MetricKinds {
  /** Each adds one path through the function. */
  readonly branches: ReadonlySet<string>;
  /** Binary expressions, in which `&&` and `||` add one. */
  readonly logical: ReadonlySet<string>;
  /** Each adds one level of nesting. */
  readonly nesting: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  /** Nodes in which a number has a name. */
  readonly constants: ReadonlySet<string>;
}
