import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { expect, test } from "vitest";

const PACKAGES = join(import.meta.dirname, "..", "packages");

/** Who may import whom. A package not listed may import nothing of ours. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  durable: [],
  kernel: ["durable"],
  languages: ["durable", "kernel"],
  agents: ["durable", "kernel"],
  protocols: ["durable", "kernel", "languages", "agents"],
  mcp: ["durable", "kernel", "languages"],
  server: ["durable", "kernel", "languages", "agents", "protocols"],
  cli: ["durable", "kernel", "languages", "agents", "protocols", "mcp", "server"],
};

const NAMES: Record<string, string> = { slipway: "cli" };

interface Import {
  readonly file: string;
  readonly from: string;
  readonly specifier: string;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => join(entry.parentPath, entry.name));
}

function importsOf(name: string): Import[] {
  return sources(join(PACKAGES, name, "src")).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(([, specifier = ""]) => ({
      file: relative(PACKAGES, file),
      from: name,
      specifier,
    })),
  );
}

function packageOf({ file, specifier }: Import): string | null {
  if (specifier.startsWith(".")) return relative(PACKAGES, resolve(PACKAGES, dirname(file), specifier)).split(sep)[0] ?? null;
  const match = /^(?:@slipway\/([a-z]+)|(slipway))(?:\/|$)/.exec(specifier);
  return match === null ? null : (match[1] ?? NAMES[match[2] ?? ""] ?? null);
}

const packages = readdirSync(PACKAGES);
const imports = packages.flatMap(importsOf);

test("every package has a row in the table", () => {
  expect(packages.filter((name) => MAY_IMPORT[name] === undefined)).toEqual([]);
  expect(imports.length).toBeGreaterThan(100);
});

test("imports follow the arrows, and a kernel module never reaches agents or protocols", () => {
  const wrong = imports.filter((found) => {
    const target = packageOf(found);
    return target !== null && target !== found.from && MAY_IMPORT[found.from]?.includes(target) !== true;
  });
  expect(wrong).toEqual([]);
});

test("[FEA-001] kernel and MCP server know no agent, no supervisor and no model: theirs are only the packages listed", () => {
  const bare = (name: string) =>
    new Set(
      imports
        .filter(({ from, file, specifier }) => from === name && !/\.test\.ts$|\/testing\//.test(file) && !/^(\.|node:)|\$/.test(specifier))
        .map(({ specifier }) => specifier.replace(/^(@[^/]+\/[^/]+|[^@/][^/]*).*$/, "$1")),
    );
  expect([...bare("kernel")].toSorted()).toEqual(["@slipway/durable", "kysely", "picomatch", "saxes", "yaml", "zod"]);
  expect([...bare("mcp")].toSorted()).toEqual([
    "@modelcontextprotocol/node",
    "@modelcontextprotocol/server",
    "@slipway/durable",
    "@slipway/kernel",
    "zod",
  ]);
});

test("no source file reaches into another package's folder by a relative path", () => {
  expect(imports.filter((found) => found.specifier.startsWith(".") && packageOf(found) !== found.from)).toEqual([]);
});

test("there are no barrels and no files of 250 lines or more", () => {
  const all = packages
    .flatMap((name) => sources(join(PACKAGES, name, "src")))
    .filter((file) => !/\.test\.ts$|\/testing\/|\/bench\//.test(file));
  const tooLong = all.filter((file) => readFileSync(file, "utf8").split("\n").length > 251);
  expect(tooLong).toEqual([]);
  expect(all.filter((file) => file.endsWith("/index.ts"))).toEqual([]);
});

test("protocols contain no SQL, no git and no child processes", () => {
  const forbidden = ["kysely", "node:sqlite", "node:child_process", "@slipway/kernel/git/runner"];
  expect(
    imports.filter(({ from, file, specifier }) => from === "protocols" && !file.endsWith(".test.ts") && forbidden.includes(specifier)),
  ).toEqual([]);
});

test("only the git room starts git, and only the sandbox, agents and doctor start other processes", () => {
  const starters = imports
    .filter(
      ({ specifier, file }) => specifier === "node:child_process" && !file.endsWith(".test.ts") && !/\/(testing|bench)[/.]/.test(file),
    )
    .map(({ file }) => file);
  const allowed = [
    /^kernel\/src\/launcher\//,
    /^kernel\/src\/git\//,
    /^kernel\/src\/sandbox\//,
    /^agents\/src\//,
    /^cli\/src\/(doctor|demo)\//,
  ];
  expect(starters.filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual([]);
});

const factory = (folder: string) =>
  sources(join(PACKAGES, "protocols/src/factory", folder)).filter((file) => !/\.test\.ts$|\/testing\//.test(file));
const saying = (pattern: RegExp) =>
  factory("")
    .filter((file) => pattern.test(readFileSync(file, "utf8")))
    .map((file) => relative(join(PACKAGES, "protocols/src/factory"), file))
    .toSorted();

test("[FAC-002] the factory asks a model where a role works, and nowhere else", () => {
  expect(saying(/\baskAgent\b|\bdesk\.invoke\b|\bopenDesk\b/)).toEqual(["engineering/record.ts", "product/refine.ts"]);
  expect(saying(/\bplay\(site\b/)).toEqual([
    "change-debate.ts",
    "engineering/debate/adjudicate.ts",
    "engineering/debate/challenge.ts",
    "engineering/debate/propose.ts",
    "engineering/planning.ts",
  ]);
});

test("[FAC-178] what decides on dispatch imports nothing about exceptions, and never mentions one", () => {
  const files = factory("project");
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => /exceptions?\/|\bICE\b|exception_id|interface_change/.test(readFileSync(file, "utf8")))).toEqual([]);
});
