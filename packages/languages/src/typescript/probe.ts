import type { Signature, Type } from "typescript/unstable/sync";
import type { OpenProject } from "./compiler.ts";
import { exportsOf, type Exported } from "./exports.ts";
import { ENTRY_FILE } from "./layout.ts";

const PARAMETERS = "probe/type-parameters.ts";
const ENTRY = "probe/entry.ts";

/** The types of a contract beside those of the entry function: type parameters are the same on both sides. */
export interface ContractProbe {
  readonly project: OpenProject;
  readonly signature: Signature;
  /** The type of a text in the contract, or why it has none. */
  typeOf(text: string): Type | string;
}

/** Makes the compiler read the types of a contract beside the function that should have them. */
export function probe(project: OpenProject, entry: Extract<Exported, { kind: "function" }>, texts: readonly string[]): ContractProbe {
  const { checker } = project;
  const parameters = entry.signature.getTypeParameters();
  const names = parameters.map((parameter) => checker.typeToString(parameter));
  const brands = parameters.map((parameter, index) => {
    const constraint = checker.getConstraintOfTypeParameter(parameter);
    const own = `{ readonly "the type parameter ${names[index]}": true }`;
    if (constraint === undefined) return `export type ${names[index]} = ${own};\n`;
    const bound = `(${checker.typeToString(constraint)})`;
    // An intersection with a string or key type would no longer be that type.
    return `export type ${names[index]} = ${constraint.isObjectType() ? `${bound} & ${own}` : bound};\n`;
  });
  const given = names.length === 0 ? "" : `<${names.join(", ")}>`;
  const header = names.length === 0 ? "" : `import type { ${names.join(", ")} } from "./type-parameters.ts";\n`;
  const distinct = [...new Set(texts)];
  const probed = project.with({
    [PARAMETERS]: `${brands.join("")}export {};\n`,
    [ENTRY]: `${header}import type * as module from "../${ENTRY_FILE}";\nexport declare const entry: typeof module.${entry.name}${given};\n`,
    // Each text has its own file, and the bracket its own line, so that the text cannot extend beyond it.
    ...Object.fromEntries(distinct.map((text, index) => [fileOf(index), `${header}export declare const it: (${text}\n);\n`])),
  });
  const [found] = exportsOf(probed, ENTRY);
  const signature = found?.kind === "function" ? found.signature : entry.signature;
  return { project: probed, signature, typeOf };

  function typeOf(text: string): Type | string {
    // A contract that refers to the code is useless to readers who cannot see the code.
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
