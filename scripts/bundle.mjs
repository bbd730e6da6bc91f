// Bundles the program into a few files: finding and loading a thousand modules takes most of the time of a short command.
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, "packages", "cli", "bundle");

/** The compiler's last outputs with their times: a bundle belongs to exactly these. `bin/slipway.mjs` compares them. */
function compiled() {
  const files = readdirSync(join(root, "packages")).map((name) => join(root, "packages", name, "dist", ".tsbuildinfo"));
  return Object.fromEntries(files.map((file) => [relative(folder, file), statSync(file).mtimeMs]));
}

function isCurrent(now) {
  try {
    return readFileSync(join(folder, "built.json"), "utf8") === now;
  } catch {
    return false;
  }
}

const builtin = (name) => `process.getBuiltinModule("node:${name}")`;

const place = (path) => `${builtin("path")}.join(import.meta.dirname, ${JSON.stringify(relative(folder, path))})`;

/** Files beside a module are still found at their place, also after the whole installation was moved. */
function inPlace(code, id) {
  if (!code.includes("import.meta.")) return null;
  const file = id.split("?")[0];
  return code.replaceAll(/\bimport\.meta\.(dirname|url|resolve)\b/g, (_all, what) => {
    if (what === "dirname") return place(dirname(file));
    if (what === "url") return `${builtin("url")}.pathToFileURL(${place(file)}).href`;
    return `((name) => ${builtin("url")}.pathToFileURL(${builtin("module")}.createRequire(${place(file)}).resolve(name)).href)`;
  });
}

/** The files that `status` loads go into one chunk: it must start fast, and each file costs a fraction of a millisecond. */
function startFiles() {
  const dist = join(root, "packages", "cli", "dist");
  const files = new Set();
  const walk = (file) => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, name] of readFileSync(file, "utf8").matchAll(/^(?:import|export)\b[^;]*?from "([^"]+)"|^import "([^"]+)"/gm))
      if (/^(?:\.|@slipway\/)/.test(name ?? "")) walk(resolved(name, file));
  };
  for (const file of ["main.js", "commands/status.js"]) walk(join(dist, file));
  return files;
}

function resolved(name, from) {
  const own = /^@slipway\/([a-z]+)\/(.+)$/.exec(name);
  return own === null ? join(dirname(from), name) : join(root, "packages", own[1], "dist", `${own[2]}.js`);
}

const now = JSON.stringify(compiled());
if (!isCurrent(now)) {
  rmSync(folder, { recursive: true, force: true });
  const start = startFiles();
  await build({
    configFile: false,
    logLevel: "error",
    plugins: [{ name: "places", transform: inPlace }],
    // The pinned SDK is checked where it is installed; the compiler is a separate program.
    ssr: { noExternal: true, external: ["@modelcontextprotocol/server", "typescript"] },
    build: {
      ssr: join(root, "packages", "cli", "dist", "main.js"),
      outDir: folder,
      target: "node24",
      minify: false,
      // Modules in an import cycle are evaluated in the same order as without a bundle.
      rolldownOptions: {
        output: {
          entryFileNames: "[name].mjs",
          chunkFileNames: "[name]-[hash].mjs",
          strictExecutionOrder: true,
          codeSplitting: { groups: [{ name: "start", test: (id) => start.has(id) }] },
        },
      },
    },
  });
  // Written last: without it the bundle is not used.
  writeFileSync(join(folder, "built.json"), now);
}
