import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const BIN = join(import.meta.dirname, "..", "packages", "cli", "bin", "slipway.mjs");

/** The real start of the program, with stub programs that only print their names. */
function installation(): { say: () => Promise<string>; write: (path: string, content: string) => string } {
  const root = mkdtempSync(join(tmpdir(), "slipway-bundle-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, content: string) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return file;
  };
  write("cli/package.json", '{"type":"module"}');
  cpSync(BIN, join(root, "cli", "bin", "slipway.mjs"), { recursive: true });
  for (const [path, name] of [
    ["cli/dist/main.js", "modules"],
    ["cli/bundle/main.mjs", "bundle"],
  ] as const)
    write(path, `export const main = async () => (process.stdout.write("${name}"), 0);`);
  const say = async () => (await promisify(execFile)(process.execPath, [join(root, "cli", "bin", "slipway.mjs")])).stdout;
  return { say, write };
}

test("the bundle runs if it was made from the current compilation, otherwise the modules themselves", async () => {
  const { say, write } = installation();
  expect(await say()).toBe("modules");
  const compiled = write("kernel/dist/.tsbuildinfo", "{}");
  write("cli/bundle/built.json", JSON.stringify({ "../../kernel/dist/.tsbuildinfo": statSync(compiled).mtimeMs }));
  expect(await say()).toBe("bundle");
  write("cli/bundle/built.json", JSON.stringify({ "../../kernel/dist/.tsbuildinfo": statSync(compiled).mtimeMs - 1 }));
  expect(await say()).toBe("modules");
  rmSync(compiled);
  expect(await say()).toBe("bundle");
  write("cli/bundle/built.json", "torn");
  expect(await say()).toBe("modules");
});
