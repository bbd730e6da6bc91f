import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";

/** Bundles the nine hundred modules of a program into one file: finding and loading them dominates a short-lived process. */
export async function bundle(program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-kill-program-"));
  await build({
    configFile: false,
    logLevel: "error",
    plugins: [{ name: "places", transform: (code, id) => inPlace(code, id) }],
    ssr: { noExternal: true },
    // One file: a lazily loaded chunk would wait for the program, which waits for the chunk.
    build: {
      ssr: program,
      outDir: folder,
      target: "node24",
      minify: true,
      rolldownOptions: { output: { entryFileNames: "program.mjs", codeSplitting: false } },
    },
  });
  const file = join(folder, "program.mjs");
  // Node reads a file faster if every character is one byte.
  const plain = readFileSync(file, "utf8").replaceAll(
    /[^\0-\x7f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  writeFileSync(file, plain);
  return file;
}

/** Files beside a module are still found there. */
function inPlace(code: string, id: string): string | null {
  if (!code.includes("import.meta.")) return null;
  return code
    .replaceAll(/\bimport\.meta\.dirname\b/g, () => JSON.stringify(dirname(id)))
    .replaceAll(/\bimport\.meta\.resolve\b/g, () => resolverOf(id))
    .replaceAll(/\bimport\.meta\.url\b/g, () => JSON.stringify(pathToFileURL(id).href));
}

/** The platform's compiler is resolved from the package that installs it. */
function resolverOf(id: string): string {
  const found = `process.getBuiltinModule("node:module").createRequire(${JSON.stringify(id)}).resolve(name)`;
  return `((name) => process.getBuiltinModule("node:url").pathToFileURL(${found}).href)`;
}
