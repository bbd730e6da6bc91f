/** The exit code of a script that cannot check here, for example for want of a compiler. It is no result. */
export const CANNOT_CHECK = 125;

/** `node --check` takes one file. */
export const CHECK_JAVASCRIPT = `
const { spawnSync } = require("node:child_process");
let failed = 0;
for (const file of process.argv.slice(1)) {
  const { status, error } = spawnSync(process.execPath, ["--check", file], { stdio: "inherit" });
  if (error) { console.error(String(error)); process.exit(${CANNOT_CHECK}); }
  if (status !== 0) failed++;
}
console.log(failed === 0 ? "No syntax error." : failed + " file(s) with syntax errors.");
process.exit(failed === 0 ? 0 : 1);
`;

/** Node.js parses the file while it removes the types. Syntax that it cannot remove has been parsed. */
export const CHECK_TYPESCRIPT = `
const { readFileSync } = require("node:fs");
const { stripTypeScriptTypes } = require("node:module");
if (stripTypeScriptTypes === undefined) { console.log("This Node.js cannot parse TypeScript."); process.exit(${CANNOT_CHECK}); }
let failed = 0;
for (const file of process.argv.slice(1)) {
  try {
    stripTypeScriptTypes(readFileSync(file, "utf8"), { mode: "strip" });
  } catch (error) {
    if (error.code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") continue;
    failed++;
    console.error(file + ": " + error.message);
  }
}
console.log(failed === 0 ? "No syntax error." : failed + " file(s) with syntax errors.");
process.exit(failed === 0 ? 0 : 1);
`;

/** A package that is not installed here says nothing about the file. Ends at once: a module may have started a timer. */
export const IMPORT_JAVASCRIPT = `
const { resolve } = require("node:path");
const { pathToFileURL } = require("node:url");
(async () => {
  for (const file of process.argv.slice(1)) {
    try {
      await import(pathToFileURL(resolve(file)).href);
      console.log("loaded " + file);
    } catch (error) {
      console.error(file + ": " + (error && error.stack || error));
      const missing = /Cannot find package|ERR_UNKNOWN_FILE_EXTENSION|ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX|ERR_UNKNOWN_BUILTIN_MODULE/;
      process.exit(missing.test(String(error && error.code) + " " + String(error && error.message)) ? ${CANNOT_CHECK} : 1);
    }
  }
  process.exit(0);
})();
`;

export const IMPORT_PYTHON = `
import importlib, os, sys, traceback
sys.dont_write_bytecode = True
sys.path[:0] = ["src", "."]
for file in sys.argv[1:]:
    name = file[2:] if file.startswith("./") else file
    name = name[4:] if name.startswith("src/") else name
    name = name[:-3].replace("/", ".")
    name = name[:-9] if name.endswith(".__init__") else name
    try:
        importlib.import_module(name)
        print("loaded " + file)
    except ModuleNotFoundError as error:
        traceback.print_exc()
        top = (error.name or "").split(".")[0]
        here = any(os.path.exists(os.path.join(root, top + end)) for root in (".", "src") for end in ("", ".py"))
        sys.exit(1 if here else ${CANNOT_CHECK})
    except BaseException:
        traceback.print_exc()
        sys.exit(1)
`;
