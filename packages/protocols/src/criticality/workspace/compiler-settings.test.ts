import { describe, expect, test } from "vitest";
import { assertCompilerSettings, extendedFiles, uncheckedSettings } from "./compiler-settings.ts";

const committed = (files: Readonly<Record<string, string>>) => async (path: string) => files[path] ?? null;
const refusal = (message: string) =>
  expect.objectContaining({ code: "config_invalid", message: expect.stringContaining(message) }) as Error;

describe("the configurations that tsconfig.json extends", () => {
  test("are read to the last one, and each once: a ring ends", async () => {
    const files = {
      "base.json": '{ "extends": "./conf/more.json" }',
      "conf/more.json": '{ "extends": ["../base.json", "../tsconfig.json"] }',
    };
    const text = '{ "extends": ["./base", "./conf/more.json"] }';
    expect(await extendedFiles(text, committed(files))).toEqual({ "tsconfig.json": text, ...files });
  });

  test("are at most twenty: a chain that makes itself longer ends", async () => {
    let read = 0;
    const endless = async () => `{ "extends": "./c${++read}.json" }`;
    expect(Object.keys(await extendedFiles('{ "extends": "./c0.json" }', endless))).toHaveLength(21);
  });

  test.each([
    ["outside the repository", "../base.json", committed({ "../base.json": "{}" })],
    ["in a package", "@tsconfig/strictest", committed({})],
    ["that cannot be read", "./base.json", () => Promise.reject(new Error("EISDIR"))],
  ])("%s are refused: what compiles would depend on this machine", async (_what, named, read) => {
    await expect(extendedFiles(JSON.stringify({ extends: named }), read)).rejects.toThrow(refusal("not committed in the repository"));
  });
});

describe("settings under which no generated code compiles", () => {
  const settings = (options: object) => ({ "tsconfig.json": JSON.stringify({ compilerOptions: options }) });

  test.each([
    ["without strict", settings({}), 'no "strict": true'],
    ["with a part of strict switched off", settings({ strict: true, strictNullChecks: false }), "switches off strictNullChecks"],
    ["that cannot be read", { "tsconfig.json": "{ strict: " }, "strict"],
    ["without imports that end in .ts", settings({ strict: true }), "does not allow imports that end in .ts"],
  ])("%s are refused before a model is called", async (_what, files, message) => {
    await expect(assertCompilerSettings(files)).rejects.toThrow(refusal(message));
  });
});

test("options that the check does not use are told before the gate of the repository fails on them", () => {
  const files = { "tsconfig.json": '{ "compilerOptions": { "noUnusedLocals": true, "noUnusedParameters": true } }' };
  expect(uncheckedSettings(files)[0]).toContain("noUnusedLocals and noUnusedParameters");
  expect([uncheckedSettings({ "tsconfig.json": "{}" }), uncheckedSettings({})]).toEqual([[], []]);
});
