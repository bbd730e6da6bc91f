import { describe, expect, test } from "vitest";
import { sourcesOf } from "./patch-sources.ts";
import { plainGit, scratch } from "./testing/scratch.ts";

const sources = (text: string) => sourcesOf(Buffer.from(text, "utf8"));

describe("the files that a patch copies or renames", () => {
  test.each([
    ["a blank", "docs/read me.txt"],
    ["a tab", "a\tb"],
    ["a quotation mark", 'say "hi".txt'],
    ["a backslash", "back\\slash"],
    ["letters beyond ASCII", "größe/日本.txt"],
    ["control characters", "bell\u0007 cr\r vt\v.txt"],
    ["nothing special", "src/a.txt"],
  ])("are read from git's own patch: a name with %s", (_what, name) => {
    const user = scratch({ [name]: "one\ntwo\nthree\n" });
    user.write("copied.txt", "one\ntwo\nthree\n");
    user.git("add", "--all");
    const patch = plainGit(user.root, ["diff", "--cached", "-C", "--find-copies-harder"]);
    expect(patch).toContain("copy from");
    expect(sources(patch)).toEqual([name]);
  });

  test("are read like git from patches of other tools", () => {
    expect(sources("rename old a//b.txt\r\nrename to c\n")).toEqual(["a/b.txt"]);
    expect(sources('copy from "s\\154ipway/\\"x\\t"\n')).toEqual(['slipway/"x\t']);
    expect(sources('copy from "not ended\n')).toEqual(['"not ended']);
    expect(sources("copy from a \nrename from b\ncopy from b\n")).toEqual(["a ", "b"]);
    expect(sources(" copy from a\n+copy from b\n-rename from c\ncopy to d\n")).toEqual([]);
  });
});
