import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";

/** One file of the nine hundred modules of a program: finding and loading those is most of what a process does that soon dies. */
export async function bundle(program: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-kill-program-"));
  await build({
    configFile: false,
    logLevel: "error",
    plugins: [{ name: "places", transform: (code, id) => inPlace(code, id) }],
    ssr: { noExternal: true },
    // In one piece: what is loaded later would wait for the program to begin, which waits for what it loads.
    build: {
      ssr: program,
      outDir: folder,
      target: "node24",
      minify: true,
      rolldownOptions: { output: { entryFileNames: "program.mjs", codeSplitting: false } },
    },
  });
  const file = join(folder, "program.mjs");
  // Node reads a file faster when every character is one byte.
  const plain = readFileSync(file, "utf8").replaceAll(
    /[^\0-\x7f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  writeFileSync(file, plain);
  return file;
}

/** What lies beside a module is still found there. */
function inPlace(code: string, id: string): string | null {
  if (!code.includes("import.meta.")) return null;
  return code
    .replaceAll(/\bimport\.meta\.dirname\b/g, () => JSON.stringify(dirname(id)))
    .replaceAll(/\bimport\.meta\.resolve\b/g, () => resolverOf(id))
    .replaceAll(/\bimport\.meta\.url\b/g, () => JSON.stringify(pathToFileURL(id).href));
}

/** The platform's compiler is found from the package that brings it. */
function resolverOf(id: string): string {
  const found = `process.getBuiltinModule("node:module").createRequire(${JSON.stringify(id)}).resolve(name)`;
  return `((name) => process.getBuiltinModule("node:url").pathToFileURL(${found}).href)`;
}
