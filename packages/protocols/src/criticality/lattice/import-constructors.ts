import type { GeneratedWitness } from "@slipway/languages/witnesses/definition";

/**
 * A TypeScript file that imports a witness as a type imports its constructors too: a body cannot import, and is shown them. A name that
 * the file declares already is left alone.
 */
export function importConstructors(text: string, witnesses: readonly Pick<GeneratedWitness, "path" | "text">[]): string {
  return text.replaceAll(TYPE_IMPORT, (line: string, types: string, specifier: string) => {
    const witness = witnesses.find(({ path }) => path.endsWith(`/witnesses/${specifier.split("/witnesses/")[1]}`));
    const exported = [...(witness?.text.matchAll(/^export function (\w+)/gm) ?? [])].map(([, name = ""]) => name);
    const missing = exported.filter((name) => !isDeclared(text, name));
    const names = types.split(",").map((name) => `type ${name.trim()}`);
    return missing.length === 0 ? line : `import { ${[...missing, ...names].join(", ")} } from "${specifier}";`;
  });
}

/** `import type { Sku } from "../witnesses/sku.ts";` */
const TYPE_IMPORT = /^import type \{ ([\w, ]+?),? \} from "(\.[^"\n]*\/witnesses\/[^"\n]+)";?$/gm;

/** At the top level. A parameter may have the name of an import. */
function isDeclared(text: string, name: string): boolean {
  const declared = new RegExp(`^(?:export )?(?:default )?(?:async )?(?:function|const|class)\\s+${name}\\b`, "m");
  const imported = new RegExp(`^import\\b[^"\\n]*\\b${name}\\b`, "m");
  return declared.test(text) || imported.test(text);
}
