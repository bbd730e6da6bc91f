import { accessDenied } from "@slipway/kernel/host/file-views/levels";
import { expect, test } from "vitest";
import { withoutSealed } from "./sealed-files.ts";

const read = withoutSealed(async (path) => Buffer.from(`content of ${path}`), "lib/modules");
const text = async (path: string) => Buffer.from((await read(path)) ?? "").toString();

test.each([
  "lib/modules/MM-a/1.0.0/implementation/index.ts",
  "lib/modules/MM-a/1.0.0/tests/x.test.ts",
  "Lib/Modules/mm-a/1.0.0/Implementation/index.ts",
  "lib/modules/MM-a/1.0.0/implementation",
])("%s is sealed", async (path) => expect(await text(path)).toBe(accessDenied(path)));

test.each([
  "lib/modules/MM-a/1.0.0/contract.json",
  "lib/modules/README.md",
  "modules/MM-a/1.0.0/implementation/x.ts",
  "src/implementation/x.ts",
])("%s is not", async (path) => expect(await text(path)).toBe(`content of ${path}`));
