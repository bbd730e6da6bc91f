import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { removeTree } from "@slipway/kernel/host/files/remove-tree";
import { kindAt } from "@slipway/kernel/host/sandbox/paths";
import type { WantedTool } from "../toolchains/missing.ts";
import { filesIn, putFiles } from "../toolchains/work-folder.ts";

/** Where Debian's packages put the sources of crates. */
export const DEBIAN_CRATES = "/usr/share/cargo/registry";

export const CARGO: WantedTool = {
  tool: "cargo",
  neededFor: "compile checks and tests of Rust",
  install: "Debian: apt-get install cargo",
  program: "cargo",
};
export const PROPTEST: WantedTool = {
  tool: "proptest",
  neededFor: "property tests of Rust",
  install: "Debian: apt-get install librust-proptest+default-dev",
  program: () => kindAt(DEBIAN_CRATES) === "folder" && readdirSync(DEBIAN_CRATES).some((name) => name.startsWith("proptest-")),
};

/** Added to the copy of a project that has none of its own. */
const MANIFEST = `[package]\nname = "project"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\npath = "src/lib.rs"\n`;
const PROPTEST_LINE = 'proptest = "1"';

/** Completes the copy of a project: a manifest, the root of its library, and the crate that generated tests use. */
export async function prepareRustProject(folder: string): Promise<void> {
  const paths = filesIn(folder).filter((path) => path.endsWith(".rs"));
  const own = kindAt(join(folder, "Cargo.toml")) === "file" ? readFileSync(join(folder, "Cargo.toml"), "utf8") : null;
  const isUsed = paths.some((path) => /\bproptest(?:::|!)/.test(readFileSync(join(folder, path), "utf8")));
  const manifest = own ?? MANIFEST;
  await putFiles(folder, { "Cargo.toml": isUsed ? withProptest(manifest) : manifest });
  const hasRoot = ["src/lib.rs", "src/main.rs"].some((path) => paths.includes(path));
  if (own === null && !hasRoot) await putFiles(folder, { "src/lib.rs": moduleTree(paths) });
  if (kindAt(DEBIAN_CRATES) !== "folder") return;
  // A lock names versions of the public registry, which the replacement need not have.
  await removeTree(join(folder, "Cargo.lock"));
  await putFiles(folder, {
    ".cargo/config.toml": `[source.crates-io]\nreplace-with = "debian"\n\n[source.debian]\ndirectory = "${DEBIAN_CRATES}"\n`,
  });
}

function withProptest(manifest: string): string {
  if (/^\s*proptest\b/m.test(manifest)) return manifest;
  const section = /^\[dev-dependencies\][^\n]*\n/m;
  if (section.test(manifest)) return manifest.replace(section, (head) => `${head}${PROPTEST_LINE}\n`);
  return `${manifest.trimEnd()}\n\n[dev-dependencies]\n${PROPTEST_LINE}\n`;
}

/** `pub mod a { pub mod b; }` for src/a/b.rs. A folder with a file of its name is declared there. */
export function moduleTree(paths: readonly string[]): string {
  const sources = paths.filter((path) => path.startsWith("src/")).map((path) => path.slice("src/".length));
  return modulesBelow("", sources, 0);
}

function modulesBelow(folder: string, sources: readonly string[], depth: number): string {
  const inside = sources.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
  const names = [...new Set(inside.map((path) => path.split("/")[0] ?? ""))].toSorted();
  const indent = "    ".repeat(depth);
  return names
    .map((name) => {
      if (name.endsWith(".rs")) return name === "mod.rs" ? "" : `${indent}pub mod ${name.slice(0, -".rs".length)};\n`;
      const declaresItself = inside.includes(`${name}.rs`);
      if (declaresItself) return "";
      if (inside.includes(`${name}/mod.rs`)) return `${indent}pub mod ${name};\n`;
      return `${indent}pub mod ${name} {\n${modulesBelow(`${folder}${name}/`, sources, depth + 1)}${indent}}\n`;
    })
    .join("");
}
