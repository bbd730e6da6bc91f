import { describe, expect, test } from "vitest";
import { packPath } from "./folder-path.ts";
import { FILE_TOOLS } from "../testing/samples.ts";
import { NATIVE_TOOLS } from "../tools/native-tools.ts";
import { judge, outcomeFor, pathsIn } from "./permissions.ts";

const rights = { mayRead: (path: string) => path !== "hidden", mayWrite: (path: string) => path.startsWith("src") };

describe("judging a request", () => {
  test.each([
    ["read", ["src/a"], true],
    ["read", ["hidden"], false],
    ["read", [], false],
    ["read", ["src/a", null], false],
    ["search", [], true],
    ["search", ["hidden"], false],
    ["think", [], true],
    ["edit", ["src/a", "src/b"], true],
    ["edit", ["src/a", "docs/b"], false],
    ["edit", [], false],
    ["delete", ["src/a"], true],
    ["move", ["src/a", "docs/a"], false],
    ["execute", ["src/a"], false],
    ["fetch", [], false],
    ["switch_mode", [], false],
    ["other", ["src/a"], false],
  ] as const)("%s of %j: %s", (kind, paths, allowed) => {
    const verdict = judge({ kind, paths }, rights, FILE_TOOLS);
    expect(verdict.allowed).toBe(allowed);
    expect(verdict.reason).not.toBe("");
  });
});

test.each([
  ["read", [], false],
  ["read", ["read"], true],
  ["search", ["read"], false],
  ["search", ["grep"], true],
  ["edit", ["read", "delete"], false],
  ["edit", ["edit"], true],
  ["delete", ["write", "edit"], false],
  ["delete", ["delete"], true],
  ["execute", ["read", "write"], false],
  ["execute", ["run"], true],
  ["fetch", NATIVE_TOOLS, false],
] as const)("[FOR-020] %s with the tools %j: %s", (kind, tools, allowed) => {
  expect(judge({ kind, paths: ["src/a"] }, rights, tools).allowed).toBe(allowed);
});

test("the answer is one of the offered options: once is preferred to always, and no answer to a wrong one", () => {
  const option = (kind: "allow_once" | "allow_always" | "reject_once" | "reject_always") => ({ optionId: kind, name: kind, kind });
  const all = (["reject_always", "allow_always", "reject_once", "allow_once"] as const).map(option);
  const [yes, no] = [true, false].map((allowed) => ({ allowed, reason: "" }));
  expect(outcomeFor(yes!, all)).toEqual({ outcome: "selected", optionId: "allow_once" });
  expect(outcomeFor(no!, all)).toEqual({ outcome: "selected", optionId: "reject_once" });
  expect(outcomeFor(yes!, [option("allow_always")])).toEqual({ outcome: "selected", optionId: "allow_always" });
  expect(outcomeFor(no!, [option("reject_always")])).toEqual({ outcome: "selected", optionId: "reject_always" });
  expect(outcomeFor(no!, [option("allow_once")])).toEqual({ outcome: "cancelled" });
});

test("paths are found in every form that agents use", () => {
  const diff = { type: "diff", path: "/p/b", newText: "" };
  const call = { locations: [{ path: "/p/a" }], content: [diff, { type: "content" }], rawInput: { file_path: "/p/a", abs_path: "/p/c" } };
  expect(pathsIn(call)).toEqual(["/p/a", "/p/b", "/p/c"]);
  expect(pathsIn({ rawInput: "text" })).toEqual([]);
});

test.each([
  ["/pack/src/a.ts", "src/a.ts"],
  ["src/../b", "b"],
  ["/pack", ""],
  ["/pack/..x", "..x"],
  ["/pack/../other", null],
  ["..", null],
  ["/etc/passwd", null],
  ["a\0b", null],
])("%j in the pack is %j", (named, path) => expect(packPath("/pack", named)).toBe(path));
