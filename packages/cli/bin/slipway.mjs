#!/usr/bin/env node
// Runs on any Node, so that an old one gets a helpful sentence instead of a syntax error.
import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const MINIMUM = 24;
const major = Number(process.versions.node.split(".")[0]);

if (major >= MINIMUM) {
  await keepCompiled();
  const { main } = await import(isBundleCurrent() ? "../bundle/main.mjs" : "../dist/main.js");
  process.exitCode = await main(process.argv.slice(2));
} else {
  process.exitCode = await runWithPinnedNode();
}

/** The bundle is the same program in fewer files, unless something was compiled after it was made. */
function isBundleCurrent() {
  const folder = new URL("../bundle/", import.meta.url);
  try {
    const made = Object.entries(JSON.parse(readFileSync(new URL("built.json", folder), "utf8")));
    // Installed, there is nothing that could have been compiled.
    return made.every(([file, time]) => (statSync(new URL(file, folder), { throwIfNoEntry: false })?.mtimeMs ?? time) === time);
  } catch {
    return false;
  }
}

/** Beside the program or in the user's own cache: in a folder for everybody, anybody could leave code for us to run. */
async function keepCompiled() {
  const { constants, enableCompileCache } = await import("node:module");
  const own = fileURLToPath(new URL("../.compiled", import.meta.url));
  const { status } = enableCompileCache(own);
  if (status === constants.compileCacheStatus.FAILED)
    enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "slipway"));
}

function pinnedNode() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  try {
    const folder = dirname(createRequire(import.meta.url).resolve(`node-${platform}-${process.arch}/package.json`));
    return join(folder, "bin", process.platform === "win32" ? "node.exe" : "node");
  } catch {
    return null;
  }
}

async function runWithPinnedNode() {
  const node = pinnedNode();
  if (node === null) {
    process.stderr.write(
      `unsupported_node: Slipway needs Node ${MINIMUM} or newer; this is ${process.version}.\n  next: install Node ${MINIMUM} (https://nodejs.org) and run the command again.\n`,
    );
    return 2;
  }
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
  // The terminal sends Ctrl-C to both; a signal that was sent to this process alone has to be handed on.
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  process.on("SIGINT", () => undefined);
  return new Promise((resolve) => {
    child.on("close", (code, signal) => resolve(code ?? (signal === "SIGKILL" ? 137 : 143)));
  });
}
