// `npm run test:languages [-- python rust …]`: the suite of language adapters with real compilers and test frameworks. On Debian as root it
// installs what is missing; elsewhere it says what is missing, and the suite skips those parts with the reason. pyright is installed into
// the user's cache. Needs the network once.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { root, setUp } from "./setup.mjs";

/** Debian packages of each language. */
const PACKAGES = {
  python: ["python3", "python3-pytest", "python3-hypothesis", "bandit"],
  rust: ["cargo", "librust-proptest+default-dev"],
  go: ["golang"],
  java: ["default-jdk-headless", "junit5"],
  cpp: ["g++", "librapidcheck-dev", "libgtest-dev"],
};
/** Not needed where the program is there already, such as a cargo of rustup. */
const PROGRAMS = { cargo: "cargo", golang: "go", "default-jdk-headless": "javac", "g++": "g++", python3: "python3" };
const PYRIGHT = "1.1.414";
/** Used by several languages. */
const SHARED = ["src/tree-sitter", "src/toolchains", "src/language-server"];

const say = (line) => process.stderr.write(`${line}\n`);
const names = Object.keys(PACKAGES);
const only = process.argv.slice(2);
const unknown = only.find((name) => !names.includes(name));
if (unknown !== undefined) {
  say(`There is no ${unknown} here. Choose from ${names.join(", ")}.`);
  process.exit(2);
}
const wanted = only.length === 0 ? names : only;
const { node, missing } = setUp();
for (const line of missing) say(line);
installPackages();
if (wanted.includes("python")) installPyright();
const folders = [...wanted.map((name) => `src/${name}/`), ...SHARED];
const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
const { status } = spawnSync(node, [vitest, "run", ...folders, "--coverage.enabled=false"], {
  cwd: join(root, "packages", "languages"),
  env: { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` },
  stdio: "inherit",
});
process.exit(status ?? 1);

function has(program) {
  return spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}

function installPackages() {
  const all = wanted.flatMap((name) => PACKAGES[name]).filter((name) => !(name in PROGRAMS && has(PROGRAMS[name])));
  const absent = all.filter((name) => !String(spawnSync("dpkg-query", ["-W", "-f", "${db:Status-Abbrev}", name]).stdout).startsWith("ii"));
  if (absent.length === 0) return;
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).error !== undefined) {
    say(`Missing: ${absent.join(", ")}. On Debian: apt-get install ${absent.join(" ")}. What needs them is skipped.`);
    return;
  }
  say(`Installing system packages: ${absent.join(", ")} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  spawnSync("apt-get", ["update", "-qq"], { stdio: "ignore", env });
  const { status: ended } = spawnSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...absent], { stdio: "ignore", env });
  if (ended !== 0) say("apt-get could not install all of them; what needs them is skipped.");
}

function installPyright() {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "slipway", "languages");
  const manifest = join(folder, "node_modules", "pyright", "package.json");
  if (existsSync(manifest) && JSON.parse(readFileSync(manifest, "utf8")).version === PYRIGHT) return;
  say(`Installing pyright ${PYRIGHT} into ${folder} …`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", `pyright@${PYRIGHT}`];
  if (spawnSync("npm", args, { cwd: folder, stdio: ["ignore", 2, 2] }).status !== 0)
    say("npm could not install pyright; type checks of Python are skipped.");
}
