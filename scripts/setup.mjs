// Sets up a fresh clone before `npm start` or `npm test`. Runs on the system's Node (20 or newer), without dependencies.
import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, "node_modules", ".slipway-lock");
const say = (line) => process.stderr.write(`${line}\n`);

/** Installs, builds and returns the Node 24 to use. `missing` lists what the system lacks, as text. */
export function setUp() {
  requireNode20();
  installDependencies();
  const node = pinnedNode();
  build(node);
  return { node, missing: systemPackages() };
}

function requireNode20() {
  if (Number(process.versions.node.split(".")[0]) >= 20) return;
  say(`Slipway needs Node 20 or newer to set itself up; this is ${process.version}. Install a newer Node and run the command again.`);
  process.exit(2);
}

function installDependencies() {
  const digest = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === digest) return;
  say("Installing dependencies (npm ci) …");
  run("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], "npm could not install the dependencies; its message is above.");
  writeFileSync(stamp, digest);
}

/** npm scripts find Node 24 in node_modules/.bin; this finds the same file without PATH. */
function pinnedNode() {
  const suffix = process.platform === "win32" ? "node.exe" : "node";
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(join(root, "package.json")).resolve(`${name}/package.json`)), "bin", suffix);
  } catch {
    if (Number(process.versions.node.split(".")[0]) >= 24) return process.execPath;
    say(
      `Slipway runs on Node 24, and npm has no Node 24 for ${process.platform} ${process.arch}. Install Node 24 or newer and run the command again.`,
    );
    process.exit(2);
  }
}

function build(node) {
  run(node, [join(root, "node_modules", "typescript", "bin", "tsc"), "-b"], "The build failed; the compiler's messages are above.");
  run(node, [join(root, "scripts", "bundle.mjs")], "The program could not be bundled; the messages are above.");
}

function systemPackages() {
  const wanted = [
    { command: "git", packageName: "git", without: "nothing works without git" },
    { command: "bwrap", packageName: "bubblewrap", without: "gates cannot be sandboxed; tests of the real sandbox are skipped" },
  ];
  const absent = () => wanted.filter(({ command }) => spawnSync(command, ["--version"]).error !== undefined);
  if (
    process.platform === "linux" &&
    process.getuid?.() === 0 &&
    spawnSync("apt-get", ["--version"]).error === undefined &&
    absent().length > 0
  ) {
    const names = absent().map(({ packageName }) => packageName);
    say(`Installing system packages: ${names.join(", ")} …`);
    spawnSync("apt-get", ["update", "-qq"], { stdio: "ignore" });
    spawnSync("apt-get", ["install", "-y", "-qq", ...names], {
      stdio: "ignore",
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    });
  }
  return absent().map(({ command, packageName, without }) => `${command} is missing (package ${packageName}): ${without}.`);
}

function run(command, args, problem, options = {}) {
  // Child output goes to stderr, so that a command's own stdout stays parsable.
  const result = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], ...options });
  if (result.status === 0) return;
  say(problem);
  process.exit(result.status ?? 1);
}
