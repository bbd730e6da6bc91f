import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { makePrivateFile, makePrivateFolder } from "./private-folder.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "slipway-private-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const at = (path: string) => join(home, path);
const modeOf = (path: string) => (lstatSync(at(path)).mode & 0o777).toString(8);
function underUmask<T>(mask: number, work: () => T): T {
  const before = process.umask(mask);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}

describe("a private folder", () => {
  test("is created with mode 0700, whatever the umask, also a second time", () => {
    underUmask(0, () => makePrivateFolder(at("a/b")));
    makePrivateFolder(at("a/b"));
    expect(modeOf("a/b")).toBe("700");
  });

  test("that others may enter is restricted, and keeps its contents", () => {
    mkdirSync(at("open"));
    chmodSync(at("open"), 0o777);
    writeFileSync(at("open/file"), "kept");
    makePrivateFolder(at("open"));
    expect([modeOf("open"), readFileSync(at("open/file"), "utf8")]).toEqual(["700", "kept"]);
  });

  test.each<readonly [string, string, () => void]>([
    ["a link to a folder", "is a symbolic link", () => symlinkSync(at("elsewhere"), at("place"))],
    ["a link to nothing", "is a symbolic link", () => symlinkSync(at("nowhere"), at("place"))],
    ["a file", "is not a folder", () => writeFileSync(at("place"), "mine")],
  ])("is never %s: nothing is written elsewhere", (_what, said, put) => {
    mkdirSync(at("elsewhere"));
    chmodSync(at("elsewhere"), 0o755);
    put();
    expect(() => makePrivateFolder(at("place"))).toThrow(said);
    expect([existsSync(at("nowhere")), readdirSync(at("elsewhere")), modeOf("elsewhere")]).toEqual([false, [], "755"]);
  });

  test("below a file is refused with its path", () => {
    writeFileSync(at("file"), "mine");
    expect(() => makePrivateFolder(at("file/below"))).toThrow(at("file/below"));
    expect(readFileSync(at("file"), "utf8")).toBe("mine");
  });
});

describe("a private file", () => {
  test("is created empty with mode 0600, whatever the umask", () => {
    underUmask(0, () => makePrivateFile(at("db")));
    expect([modeOf("db"), readFileSync(at("db"), "utf8")]).toEqual(["600", ""]);
  });

  test("that exists keeps its bytes and loses the permissions of others", () => {
    writeFileSync(at("db"), "rows");
    chmodSync(at("db"), 0o664);
    makePrivateFile(at("db"));
    expect([modeOf("db"), readFileSync(at("db"), "utf8")]).toEqual(["600", "rows"]);
  });

  test("is never a link or a folder", () => {
    writeFileSync(at("target"), "theirs");
    chmodSync(at("target"), 0o644);
    symlinkSync(at("target"), at("link"));
    symlinkSync(at("nowhere"), at("dangling"));
    mkdirSync(at("folder"));
    for (const name of ["link", "dangling", "folder"]) expect(() => makePrivateFile(at(name)), name).toThrow("is not a regular file");
    expect([modeOf("target"), existsSync(at("nowhere"))]).toEqual(["644", false]);
  });

  test("in a missing folder is an error that names it", () => {
    expect(() => makePrivateFile(at("none/db"))).toThrow(at("none/db"));
  });
});
