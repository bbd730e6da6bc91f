import { basename, dirname } from "node:path";

/** Mounted in every sandbox. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store", "/gnu/store"];

/** Folders of toolchains in the home folder: the whole folder is needed, not only the program. */
const TOOLCHAINS = [
  ".cargo/bin",
  ".rustup",
  ".nvm",
  ".volta",
  ".bun",
  ".pyenv",
  ".asdf",
  ".sdkman/candidates",
  ".local/share/mise",
  ".local/share/fnm",
  ".local/share/uv",
  ".local/share/pnpm",
  ".local/bin",
  "go/bin",
];

/** The folders of these programs that a gate would not see. */
export function toolchainFolders(programs: readonly string[], homeFolder: string): string[] {
  const outside = programs.filter((path) => !SYSTEM.some((root) => path.startsWith(`${root}/`)));
  return [...new Set(outside.flatMap((path) => folderOf(path, homeFolder)))];
}

/** Never the home folder itself or the root: they contain keys and tokens. */
function folderOf(program: string, homeFolder: string): string[] {
  const home = `${homeFolder}/`;
  const known = TOOLCHAINS.find((folder) => program.startsWith(`${home}${folder}/`));
  if (known !== undefined) return [`~/${known}`];
  const isTooMuch = (folder: string) => home.startsWith(`${folder === "/" ? "" : folder}/`);
  const folder = dirname(program);
  const parent = dirname(folder);
  const chosen = basename(folder) === "bin" && !isTooMuch(parent) ? parent : folder;
  if (isTooMuch(chosen)) return [];
  return [chosen.startsWith(home) ? `~/${chosen.slice(home.length)}` : chosen];
}
