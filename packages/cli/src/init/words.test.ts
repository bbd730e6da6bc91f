import fc from "fast-check";
import { expect, test } from "vitest";
import { commandLine } from "./words.ts";

test.each<[text: string, cmd: string[]]>([
  ["make test", ["make", "test"]],
  ["  make   test  ", ["make", "test"]],
  [`run "two words" 'and "three" more' a\\ b`, ["run", "two words", 'and "three" more', "a b"]],
  [`run --name="x y" ""`, ["run", "--name=x y", ""]],
  [`run "a \\"b\\" \\n"`, ["run", 'a "b" \\n']],
  ["run 'a|b' \"c;d\"", ["run", "a|b", "c;d"]],
])("%s", (text, cmd) => expect(commandLine(text)).toEqual({ cmd, env: {} }));

test("variables before the program become its environment", () => {
  expect(commandLine("CI=1 NAME='a b' make test X=1")).toEqual({ cmd: ["make", "test", "X=1"], env: { CI: "1", NAME: "a b" } });
});

test.each([
  "",
  "  ",
  "CI=1",
  "make && make test",
  "make | tee log",
  "make; make test",
  "make > log",
  "echo $HOME",
  "echo `id`",
  "echo $(id)",
  'make "test',
  "make 'test",
  "make \\",
])("%j is refused, with the fix", (text) =>
  expect(() => commandLine(text)).toThrow(
    expect.objectContaining({ code: "invalid_cli_args", details: expect.objectContaining({ field: "--test" }) }),
  ),
);

test("quoted words are parsed back unchanged", () => {
  const word = fc.string({ unit: "binary", maxLength: 12 }).map((text) => text.replaceAll("'", ""));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      const cmd = ["run", ...words];
      expect(commandLine(cmd.map((text) => `'${text}'`).join(" "))).toEqual({ cmd, env: {} });
    }),
  );
});
