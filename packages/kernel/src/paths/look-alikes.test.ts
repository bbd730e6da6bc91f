import { expect, test } from "vitest";
import { lookAlikes } from "./look-alikes.ts";

const KNOWN = ["src/a.txt", "src/login.ts", "README.md", "docs/über.md", "src/HELP.md"];
const of = (path: string, known: readonly string[] = KNOWN) => lookAlikes([path], [...known, path])[0]?.of ?? null;

test.each([
  ["src/\u0430.txt", "src/a.txt"],
  ["\u0455rc/new.ts", "src"],
  ["src/l\u03bfgin.ts", "src/login.ts"],
  ["src/ｌogin.ts", "src/login.ts"],
  ["\u0405RC/login.ts", "src"],
  ["src/\u041d\u0415L\u0420.md", "src/HELP.md"],
  ["docs/\u0446ber.md", null],
])("%s looks like %s", (path, known) => {
  expect(of(path)).toBe(known);
});

test.each(["src/b.txt", "Größe.md", "日本語.md", "README-на-русском.md", "docs/über.md", "src/log1n.ts"])(
  "%s looks like itself",
  (path) => {
    expect(of(path)).toBeNull();
  },
);

test("two new names that look alike are told once each, beside the plain one", () => {
  const fresh = ["lib/pay.ts", "lib/p\u0430y.ts"];
  expect(lookAlikes(fresh, fresh)).toEqual([{ path: "lib/p\u0430y.ts", of: "lib/pay.ts" }]);
});
