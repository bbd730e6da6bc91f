/** Runs in its own sandbox: one test file, with the module behind a membrane. */
import { registerHooks } from "node:module";
import { extname, join } from "node:path";
import { Writable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import { report } from "./reporter.ts";
import { checkpoint, loadNames, measureCalls } from "./remote-module.ts";
import { shareClock } from "./test-clock.ts";

const folder = join(import.meta.dirname, "..");
const [, , file = "", layout = "module"] = process.argv;
/** Files that are in the module's process only: of a module with its dependencies, or of a project. */
const MODULE_FILE = layout === "project" ? /^(?!tests\/|slipway\/|node_modules\/)/ : /^(?:implementation|dependencies)\//;
const EXTENSION = extname(import.meta.url);
const REMOTE_MODULE = new URL(`./remote-module${EXTENSION}`, import.meta.url).href;
const RUNNER_SHIM = new URL(`./runner-shim${EXTENSION}`, import.meta.url).href;
const OTHER_RUNNERS = new Set(["vitest", "@jest/globals"]);
const DEPENDENCY = /^#(MM-\w+)$/;
// A test's stdout must not be taken for results.
Object.defineProperty(process, "stdout", { value: new Writable({ write: (_chunk, _encoding, done) => done() }) });

/** The path in the module, if the URL points there. */
function modulePath(url: string): string | null {
  if (!url.startsWith("file:")) return null;
  const path = fileURLToPath(url);
  const inside = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : "";
  return inside !== "" && MODULE_FILE.test(inside) ? inside : null;
}

function resolved(specifier: string, parent: string | undefined): string | null {
  if (OTHER_RUNNERS.has(specifier)) return RUNNER_SHIM;
  const [, dependency] = DEPENDENCY.exec(specifier) ?? [];
  if (dependency !== undefined) return pathToFileURL(join(folder, `dependencies/${dependency}/implementation/index.ts`)).href;
  const url = URL.canParse(specifier, parent) ? new URL(specifier, parent).href : null;
  return url !== null && modulePath(url) !== null ? url : null;
}

registerHooks({
  resolve(specifier, context, next) {
    const url = resolved(specifier, context.parentURL);
    if (url === null || url === RUNNER_SHIM) return next(url ?? specifier, context);
    return { url, format: "module", shortCircuit: true };
  },
  load(url, context, next) {
    const path = modulePath(url);
    return path === null ? next(url, context) : { format: "module", shortCircuit: true, source: stub(path) };
  },
});

/** A module with the same exports. Names appear in it as string literals only. */
function stub(path: string): string {
  const names = loadNames(path);
  const locals = names.map((_, index) => `$${index}`);
  return [
    `import { attachments } from ${JSON.stringify(REMOTE_MODULE)};`,
    ...(locals.length === 0 ? [] : [`let ${locals.join(", ")};`]),
    `attachments.get(${JSON.stringify(path)})((values) => {`,
    ...names.map((name, index) => `  $${index} = values[${JSON.stringify(name)}];`),
    `});`,
    ...names.map((name, index) => `export { $${index} as ${JSON.stringify(name)} };`),
  ].join("\n");
}

/** Runs of a property share nothing: values that crossed in one are dropped after it. */
async function prepareProject(): Promise<void> {
  shareClock(`slipway/module-clock${EXTENSION}`);
  Object.defineProperty(globalThis, Symbol.for("slipway.measureCalls"), { value: measureCalls });
  const { configureGlobal } = (await import("fast-check")) as typeof import("fast-check");
  let forget: (() => void) | null = null;
  loaded.then(
    () => (forget = checkpoint()),
    () => undefined,
  );
  configureGlobal({ afterEach: () => forget?.() });
}

const { promise: loaded, resolve: hasLoaded } = Promise.withResolvers<void>();
try {
  if (layout === "project") await prepareProject();
  await import(pathToFileURL(join(folder, file)).href);
  hasLoaded();
  report({ loaded: true });
} catch (error) {
  report({ loaded: false, error });
  process.exitCode = 1;
}
