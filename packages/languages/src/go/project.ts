import { readFileSync } from "node:fs";
import { join } from "node:path";
import { kindAt } from "@slipway/kernel/host/sandbox/paths";
import type { LanguageMachine } from "../toolchains/machine.ts";
import type { WantedTool } from "../toolchains/missing.ts";
import { filesIn, putFiles } from "../toolchains/work-folder.ts";
import { nodesIn, parseTree, startOf, endOf, textOf } from "../tree-sitter/grammars.ts";
import { parseSource } from "../tree-sitter/source.ts";
import { goGrammar } from "./grammar.ts";

export const GO: WantedTool = {
  tool: "go",
  neededFor: "compile checks and tests of Go",
  install: "Debian: apt-get install golang",
  program: "go",
};

/** No network, no other version of Go, and a cache of our own. */
export function goEnvironment(folder: string, machine: LanguageMachine): Record<string, string> {
  const home = machine.cache === undefined ? `${folder}/.slipway-home` : `${machine.cache}/go`;
  return {
    GOFLAGS: "-mod=mod",
    GOPROXY: "off",
    GOTOOLCHAIN: "local",
    GOSUMDB: "off",
    GONOSUMDB: "*",
    GOCACHE: `${home}/build`,
    GOPATH: `${home}/path`,
    GOENV: "off",
    CGO_ENABLED: "0",
  };
}

/** Completes the copy of a project: a module file, and blank imports where only a body that is still a hole would use them. */
export async function prepareGoProject(folder: string): Promise<void> {
  if (kindAt(join(folder, "go.mod")) === "missing") await putFiles(folder, { "go.mod": "module project\n\ngo 1.19\n" });
  for (const path of filesIn(folder).filter((file) => file.endsWith(".go"))) {
    const text = readFileSync(join(folder, path), "utf8");
    const changed = withUsedImports(text);
    if (changed !== text) await putFiles(folder, { [path]: changed });
  }
}

/** Go refuses an unused import. While a file has holes, the bodies to come may use it, so it is imported without a name. */
export function withUsedImports(text: string): string {
  let functions;
  try {
    functions = parseSource(goGrammar, text).functions;
  } catch {
    return text;
  }
  if (!functions.some(({ isHole }) => isHole)) return text;
  const nodes = [...nodesIn(parseTree("go", text))];
  const used = new Set(
    nodes.filter((node) => node.kind() === "selector_expression" || node.kind() === "qualified_type").map((node) => textOf(node.child(0))),
  );
  const unused = nodes.filter(
    (node) => node.kind() === "import_spec" && !used.has(importedName(node.field("name")?.text(), node.field("path")?.text())),
  );
  return unused.toReversed().reduce((changed, spec) => {
    const path = spec.field("path");
    return path === null ? changed : `${changed.slice(0, startOf(spec))}_ ${path.text()}${changed.slice(endOf(spec))}`;
  }, text);
}

/** The last part of the path, without a version: `math/rand/v2` is `rand`. */
function importedName(name: string | undefined, path = ""): string {
  if (name !== undefined) return name;
  const plain = path.replaceAll(/["`]/g, "").replace(/\/v\d+$/, "");
  return plain
    .replace(/^.*\//, "")
    .replace(/\.v\d+$/, "")
    .replace(/^go-/, "");
}
