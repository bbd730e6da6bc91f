import type { Signature, Type } from "typescript/unstable/sync";
import type { OpenProject } from "./compiler.ts";
import { exportsOf, type Exported } from "./exports.ts";
import { ENTRY_FILE } from "./layout.ts";

const PARAMETERS = "probe/type-parameters.ts";
const ENTRY = "probe/entry.ts";

/** A contract's types and the entry's, side by side: type parameters stand for the same thing on both sides. */
export interface ContractProbe {
  readonly project: OpenProject;
  readonly signature: Signature;
  /** The type a text of the contract means, or why it means none. */
  typeOf(text: string): Type | string;
}

/** Has the compiler read the types of a contract beside the function that should have them. */
export function probe(project: OpenProject, entry: Extract<Exported, { kind: "function" }>, texts: readonly string[]): ContractProbe {
  const { checker } = project;
  const parameters = entry.signature.getTypeParameters();
  const names = parameters.map((parameter) => checker.typeToString(parameter));
  const brands = parameters.map((parameter, index) => {
    const constraint = checker.getConstraintOfTypeParameter(parameter);
    const own = `{ readonly "the type parameter ${names[index]}": true }`;
    if (constraint === undefined) return `export type ${names[index]} = ${own};\n`;
    const bound = `(${checker.typeToString(constraint)})`;
    // A key or a text with something added to it is no longer one.
    return `export type ${names[index]} = ${constraint.isObjectType() ? `${bound} & ${own}` : bound};\n`;
  });
  const given = names.length === 0 ? "" : `<${names.join(", ")}>`;
  const header = names.length === 0 ? "" : `import type { ${names.join(", ")} } from "./type-parameters.ts";\n`;
  const distinct = [...new Set(texts)];
  const probed = project.with({
    [PARAMETERS]: `${brands.join("")}export {};\n`,
    [ENTRY]: `${header}import type * as module from "../${ENTRY_FILE}";\nexport declare const entry: typeof module.${entry.name}${given};\n`,
    // Alone in its file, and its own line for the bracket: whatever the text is, it ends there.
    ...Object.fromEntries(distinct.map((text, index) => [fileOf(index), `${header}export declare const it: (${text}\n);\n`])),
  });
  const [found] = exportsOf(probed, ENTRY);
  const signature = found?.kind === "function" ? found.signature : entry.signature;
  return { project: probed, signature, typeOf };

  function typeOf(text: string): Type | string {
    // A contract that points at the code says nothing to those who cannot see it.
    return /\bimport\s*\(/.test(text) ? "it imports something" : typeIn(probed, fileOf(distinct.indexOf(text)));
  }
}

function fileOf(index: number): string {
  return `probe/type-${index}.ts`;
}

function typeIn(project: OpenProject, path: string): Type | string {
  const [problem] = project.problems([path]);
  if (problem !== undefined) return problem.replace(/^[^:]*:\d+: /, "");
  const exported = exportsOf(project, path);
  const [it] = exported;
  return it === undefined || exported.length > 1 ? "it is no single type" : it.type;
}
