import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { collectingIo, git, scratchFolder, writeAll } from "../init/testing/scratch.ts";
import type { PublishedPackage } from "@slipway/protocols/demo/demo";
import { download, unpack } from "./unpack-package.ts";
import { makeRepository } from "./scratch.ts";

/** Downloads use a temporary folder; the test checks that it is empty afterwards. */
let temporary: string;
beforeEach(() => {
  temporary = scratchFolder();
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
});

const leftovers = () => readdirSync(temporary).filter((name) => name.startsWith("slipway-download-"));

function tarballOf(files: Readonly<Record<string, string>>): Buffer {
  const folder = scratchFolder();
  writeAll(join(folder, "package"), files);
  return execFileSync("tar", ["-czf", "-", "-C", folder, "package"]);
}

const integrityOf = (bytes: Buffer) => `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

let tarballOfAdder: Buffer;
let adder: PublishedPackage;
beforeEach(() => {
  const [name, version] = ["@slipway-test/adder", "1.2.3"];
  tarballOfAdder = tarballOf({ "package.json": JSON.stringify({ name, version }), "lib/add.js": "exports.add = (a, b) => a + b\n" });
  adder = { name, version, license: "MIT", integrity: integrityOf(tarballOfAdder) };
});

/** A registry on loopback that has one package with these bytes, or none. */
async function registry(tarball: Buffer | null): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const { port } = server.address() as AddressInfo;
    if (tarball === null) response.writeHead(404, { "content-type": "application/json" }).end('{"error":"not found"}');
    else if (url.endsWith(".tgz")) response.end(tarball);
    else {
      const { name, version } = adder;
      const dist = { tarball: `http://127.0.0.1:${port}/adder.tgz`, integrity: integrityOf(tarball) };
      const versions = { [version]: { name, version, dist } };
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ name, "dist-tags": { latest: version }, versions }));
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Port 9 has no listener. */
function machine(registryUrl = "http://127.0.0.1:9/", path = process.env["PATH"]) {
  const home = scratchFolder();
  const env = { PATH: path, HOME: home, npm_config_cache: join(home, "cache"), npm_config_registry: registryUrl };
  return collectingIo(home, { env });
}

/** A machine whose npm is this shell script. */
function machineWithNpm(script: string) {
  const bin = scratchFolder();
  writeFileSync(join(bin, "npm"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, "npm"), 0o755);
  return machine(undefined, `${bin}:/usr/bin:/bin`);
}

test("downloads the exact version from npm's registry, and unpacks it without npm's top-level folder", async () => {
  const tarball = await download(adder, machine(await registry(tarballOfAdder)));
  expect(tarball.equals(tarballOfAdder)).toBe(true);
  const folder = scratchFolder();
  unpack(tarball, folder);
  expect(readFileSync(join(folder, "lib", "add.js"), "utf8")).toContain("exports.add");
  expect(leftovers()).toEqual([]);
});

test("a tarball with other bytes is discarded, whatever integrity the registry reports", async () => {
  const forged = tarballOf({ "package.json": JSON.stringify({ name: adder.name, version: adder.version }), "lib/add.js": "evil()\n" });
  const failed = download(adder, machine(await registry(forged)));
  await expect(failed).rejects.toMatchObject({
    code: "download_failed",
    message: expect.stringContaining(`its integrity is ${integrityOf(forged)}, expected ${adder.integrity}`),
  });
  expect(leftovers()).toEqual([]);
});

test.each<[string, () => Promise<ReturnType<typeof machine>>, string]>([
  ["the registry does not answer", async () => machine(), "ECONNREFUSED: .*127.0.0.1:9"],
  ["the registry does not have it", async () => machine(await registry(null)), "E404: "],
  ["npm is missing", async () => machine(undefined, "/nowhere"), "npm is not installed"],
  ["npm prints no reason", async () => machineWithNpm("exit 1"), "npm did not say why"],
  ["npm hangs", async () => machineWithNpm("exec sleep 60"), "npm did not finish and was stopped"],
])("when %s: says so and how to continue, and creates nothing", async (_, on, why) => {
  const io = await on();
  await expect(download(adder, io, why.includes("not finish") ? 200 : undefined)).rejects.toMatchObject({
    code: "download_failed",
    message: expect.stringMatching(
      new RegExp(`^@slipway-test/adder@1\\.2\\.3 could not be downloaded: ${why}.*\\. Nothing was created\\.$`),
    ),
    details: { suggested_next_actions: [expect.stringMatching(/npm/), expect.stringContaining("`slipway demo`")] },
  });
  expect(leftovers()).toEqual([]);
});

/** A demo's files on the package in the loopback registry. */
function demoFiles() {
  const folder = scratchFolder();
  writeAll(folder, { "project/slipway/gates.yaml": "version: 1\n", "specs/sub.spec.md": "# Sub\n" });
  return { folder, published: adder, commitMessage: "As published" };
}

test("the demo's repository has the package, its configuration and its specifications, committed", async () => {
  const folder = await makeRepository(machine(await registry(tarballOfAdder)), "kept", demoFiles());
  expect(git(folder, "log", "--format=%s")).toBe("As published\n");
  const files = git(folder, "ls-files").trim().split("\n");
  expect(files).toEqual(["lib/add.js", "package.json", "slipway/gates.yaml", "specs/sub.spec.md"]);
});

test("without the package no repository and no folder is created", async () => {
  const io = machine();
  await expect(makeRepository(io, "kept", demoFiles())).rejects.toMatchObject({ code: "download_failed" });
  expect(existsSync(join(io.cwd, "kept"))).toBe(false);
  mkdirSync(join(io.cwd, "kept"));
  await expect(makeRepository(io, "kept", demoFiles())).rejects.toMatchObject({ code: "download_failed" });
  expect(readdirSync(join(io.cwd, "kept"))).toEqual([]);
  expect(leftovers()).toEqual([]);
});
