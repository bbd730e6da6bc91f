import { adding, addingBinary, moving, naming, replacing } from "./patches.ts";
import type { Yard } from "./yard.ts";

/** A patch that is refused under any plan and policy, with the rules it breaks. */
export interface RefusedPatch {
  readonly attack: string;
  readonly diff: (yard: Yard) => string;
  readonly rules: readonly string[];
}

const OUTSIDE = ["path_out_of_bounds"];
const UNSAFE = ["unsafe_name"];

export const REFUSED_PATCHES: readonly RefusedPatch[] = [
  ...[
    ["01: ../ leads out of the worktree", adding("../../../outside/planted")],
    ["01: ../ after a folder leads out", adding("src/../../../../outside/planted")],
    ["01: ../ in a diff without git's header", "--- /dev/null\n+++ b/../../../outside/planted\n@@ -0,0 +1 @@\n+hi\n"],
    ["02: a drive letter is absolute elsewhere", adding("C:/outside")],
    ["03: a C-quoted ..\\057 is ../", adding("..\\057..\\057..\\057outside\\057planted")],
    ["06: a rename into .git shows its other end", moving("rename", "src/a.txt", ".git/hooks/post-checkout")],
    ["06: a copy into .git shows its other end", moving("copy", "src/a.txt", ".git/hooks/post-checkout")],
    ["10: .git is out of bounds", adding(".git/config")],
    ["10: .GIT is .git on some file systems", adding(".GIT/hooks/pre-commit")],
    ["10: .git below a folder", adding("sub/.Git/hooks/x")],
    ["10: git~1 is .git's short name", adding("git~1/config")],
    ["10: .git with a dot at its end", adding(".git./config")],
    ["10: .git with a space at its end", adding(".git /config")],
    ["10: .git as an NTFS stream", adding(".git::$INDEX_ALLOCATION/config")],
    ["10: .git with a zero-width character in it", adding(".g\\342\\200\\214it/config")],
    ["10: .git behind a backslash", adding("a\\\\.git\\\\config")],
  ].map(([attack = "", diff = ""]) => ({ attack, diff: () => diff, rules: OUTSIDE })),
  { attack: "02: an absolute path", diff: ({ outside }) => adding(`${outside}/planted`), rules: OUTSIDE },
  {
    attack: "02: an absolute path in a diff without git's header",
    diff: ({ outside }) => `--- /dev/null\n+++ ${outside}/planted\n@@ -0,0 +1 @@\n+hi\n`,
    rules: OUTSIDE,
  },
  {
    attack: "02: an existing file by its absolute path",
    diff: ({ outside }) => `--- ${outside}/canary.txt\n+++ ${outside}/canary.txt\n@@ -1 +1 @@\n-untouched\n+touched\n`,
    rules: OUTSIDE,
  },
  ...(["copy", "rename"] as const).map((kind) => ({
    attack: `06: a ${kind} of the gates, which a judged feature does not see`,
    diff: () => moving(kind, "slipway/gates.yaml", "src/new.txt"),
    rules: ["copied_configuration"],
  })),
  {
    attack: "06: a copy of the gates by a quoted name",
    diff: () =>
      moving("copy", "slipway/gates.yaml", "src/new.txt")
        .replace("from slipway", 'from "s\\154ipway')
        .replace(".yaml\ncopy to", '.yaml"\ncopy to'),
    rules: ["copied_configuration"],
  },
  ...["HEAD:slipway/gates.yaml", "HEAD^{tree}"].map((object) => ({
    attack: `16: a binary file that is named by the id of ${object} and brings no bytes`,
    diff: ({ git }: Yard) => naming("src/new.txt", git("rev-parse", object).trim()),
    rules: ["binary_without_data"],
  })),
  {
    attack: "16: a binary file with bytes of its own and the id of the gates",
    diff: ({ git }) => addingBinary("src/new.txt", Buffer.from("x"), 1, git("rev-parse", "HEAD:slipway/gates.yaml").trim()),
    rules: ["binary_without_data"],
  },
  { attack: "07: a symbolic link", diff: ({ outside }) => adding("link", outside, "120000"), rules: ["symlink"] },
  {
    attack: "07: a file that becomes a symbolic link",
    diff: ({ outside }) =>
      `diff --git a/src/a.txt b/src/a.txt\ndeleted file mode 100644\n--- a/src/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n${adding("src/a.txt", `${outside}/canary.txt`, "120000")}`,
    rules: ["symlink"],
  },
  {
    attack: "08: a write through a link of the same patch",
    diff: ({ outside }) => adding("link", outside, "120000") + adding("link/planted"),
    rules: OUTSIDE,
  },
  { attack: "08: a write through a link that is there already", diff: () => adding("escape/planted"), rules: OUTSIDE },
  { attack: "09: a submodule", diff: () => adding("sub", `Subproject commit ${"1".repeat(40)}\n`, "160000"), rules: ["submodule"] },
  ...[".gitmodules", "deep/.gitmodules", ".GitModules", "GITMOD~1"].map((name) => ({
    attack: `09: ${name}`,
    diff: () => adding(name, '[submodule "x"]\n'),
    rules: ["submodule"],
  })),
  ...[".gitattributes", "src/.gitattributes", ".GITATTRIBUTES", "GITATT~1"].map((name) => ({
    attack: `11: drivers in ${name}`,
    diff: () => adding(name, "* filter=evil\n"),
    rules: ["gitattributes"],
  })),
  { attack: "13: a name that differs by case only", diff: () => adding("readme.md"), rules: ["twin"] },
  { attack: "13: a folder that differs by case only", diff: () => adding("SRC/other.txt"), rules: ["twin"] },
  { attack: "13: the same name in another normal form", diff: () => adding("docs/cafe\\314\\201.md"), rules: ["twin"] },
  { attack: "13: two new names that are one elsewhere", diff: () => adding("Same.txt") + adding("same.txt"), rules: ["twin", "twin"] },
  ...[
    ["NUL", "x\\000y"],
    ["a tab", "tab\\there"],
    ["a line break", "line\\nbreak"],
    ["a terminal escape", "\\033[31mred"],
    ["a C1 control", "c1\\302\\205"],
    ["a right-to-left override", "rtl\\342\\200\\256txt.exe"],
    ["a zero-width space", "zero\\342\\200\\213width"],
    ["a byte order mark", "\\357\\273\\277bom"],
  ].map(([what = "", name = ""]) => ({ attack: `14: a name with ${what}`, diff: () => adding(name), rules: UNSAFE })),
  ...[
    ["a dot at the end, which Windows drops", "src/a.txt."],
    ["a blank at the end, which Windows drops", "src/a.txt "],
    ["a blank at the end of a folder", "src /new.txt"],
    ["a stream of Windows", "src/a.txt:evil"],
    ["a device of Windows", "src/CON"],
    ["a device of Windows with an ending", "src/aux.ts"],
    ["a character that Windows has no files with", "src/new?.txt"],
    ["a Hangul filler", "src/a\\343\\205\\244.txt"],
    ["a variation selector after a letter", "src/a\\357\\270\\217.txt"],
    ["an empty Braille cell", "src/a\\342\\240\\200.txt"],
  ].map(([what = "", name = ""]) => ({ attack: `B33: a new name with ${what}`, diff: () => adding(name), rules: ["unportable_name"] })),
  { attack: "14: a name that is not UTF-8", diff: () => adding("caf\\351"), rules: ["not_utf8"] },
  { attack: "15: more bytes than the policy takes", diff: () => "x".repeat(60_000), rules: ["patch_too_large"] },
  {
    attack: "15: more files than the policy takes",
    diff: () => Array.from({ length: 21 }, (_, index) => adding(`f${index}`)).join(""),
    rules: ["too_many_files"],
  },
  {
    attack: "16: a small binary patch that unfolds far",
    diff: () => addingBinary("bomb.bin", Buffer.alloc(20_000_000)),
    rules: ["binary_too_large"],
  },
  {
    attack: "16: a binary patch that lies about its size",
    diff: () => replacing("src/a.txt", "one", "two") + addingBinary("data.bin", Buffer.from([0, 1, 2]), -1),
    rules: ["binary_too_large"],
  },
];
