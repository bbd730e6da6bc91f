import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { DEFAULT_PROTOCOL, PROTOCOLS } from "../protocols.ts";
import { DEMOS, demoNamed } from "./demos.ts";
import { bundledAnswers, cassetteOf } from "./files.ts";

describe("the list of demos", () => {
  test("has every demo of every protocol under a name of its own", () => {
    const names = DEMOS.map(({ entry }) => entry.name);
    expect(names).toEqual(PROTOCOLS.flatMap(({ demos = [] }) => demos.map(({ name }) => name)));
    expect(new Set(names).size).toBe(names.length);
  });

  test("has one of the default protocol for who names none", () => {
    expect(demoNamed().protocol.name).toBe(DEFAULT_PROTOCOL);
  });

  test("gives no option to two demos, as the command has one description for each", () => {
    const options = DEMOS.flatMap(({ entry }) => Object.keys(entry.options ?? {}));
    expect(new Set(options).size).toBe(options.length);
  });
});

describe.each(DEMOS)("slipway demo $entry.name", ({ protocol, entry }) => {
  test("comes with its project, its cassettes, answers that can be read and the page about them", async () => {
    const { files, edit } = await entry.load();
    for (const path of [join(files.folder, "project"), cassetteOf(files), ...(edit === undefined ? [] : [edit.cassette])])
      expect(existsSync(path), path).toBe(true);
    expect(files.folder.endsWith(join("demos", entry.name))).toBe(true);
    expect(existsSync(join(files.folder, "README.md"))).toBe(true);
    await bundledAnswers(files);
  });

  test("asks for what its protocol takes", async () => {
    const { files } = await entry.load();
    const kinds = { specifications: "specs", "a page": "page", "a request": "text", "an interview": "text" };
    expect(Object.keys(files.request)[0]).toBe(kinds[protocol.takes]);
  });

  test("declares the option of its edit", async () => {
    const { edit } = await entry.load();
    expect(Object.keys(entry.options ?? {})).toEqual(edit === undefined ? [] : [edit.option]);
  });
});
