import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { expect, test } from "vitest";

const PACKAGES = join(import.meta.dirname, "..", "packages");

/** Allowed imports between packages. A package not listed may import none of ours. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  durable: [],
  kernel: ["durable"],
  languages: ["durable", "kernel"],
  agents: ["durable", "kernel"],
  protocols: ["durable", "kernel", "languages", "agents"],
  mcp: ["durable", "kernel", "languages"],
  runtime: ["durable", "kernel", "languages", "agents", "protocols"],
  server: ["durable", "kernel", "languages", "agents", "protocols", "runtime"],
  cli: ["durable", "kernel", "languages", "agents", "protocols", "runtime", "mcp", "server"],
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

/** Texts of other programs in a test may hold imports, too. */
const withoutTexts = (source: string) => source.replaceAll(/`(?:\\.|[^`\\])*`/gs, "``");

function importsOf(name: string): Import[] {
  return sources(join(PACKAGES, name, "src")).flatMap((file) =>
    [
      ...(file.endsWith(".test.ts") ? withoutTexts(readFileSync(file, "utf8")) : readFileSync(file, "utf8")).matchAll(
        /(?<!")\b(?:from|import\()\s*"([^"]+)"/g,
      ),
    ].map(([, specifier = ""]) => ({
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

test("[FEA-001] kernel and MCP server know no agent, no supervisor and no model: they import only the packages listed", () => {
  const bare = (name: string) =>
    new Set(
      imports
        .filter(({ from, file, specifier }) => from === name && !/\.test\.ts$|\/testing\//.test(file) && !/^(\.|node:)|\$/.test(specifier))
        .map(({ specifier }) => specifier.replace(/^(@[^/]+\/[^/]+|[^@/][^/]*).*$/, "$1")),
    );
  expect([...bare("kernel")].toSorted()).toEqual(["@slipway/durable", "croner", "kysely", "picomatch", "saxes", "yaml", "zod"]);
  expect([...bare("mcp")].toSorted()).toEqual([
    "@modelcontextprotocol/node",
    "@modelcontextprotocol/server",
    "@slipway/durable",
    "@slipway/kernel",
    "zod",
  ]);
});

/** The file of a package that exports `SlipwayError` and registers the codes it may throw. */
const ERRORS_OF: Readonly<Record<string, RegExp>> = {
  kernel: /^(?:\.\.?\/)+(?:schema\/)?errors\.ts$/,
  languages: /^@slipway\/kernel\/schema\/errors$/,
  mcp: /^@slipway\/kernel\/schema\/errors$/,
  agents: /^(?:\.\.?\/)+errors\.ts$/,
  protocols: /^(?:@slipway\/agents\/errors|(?:\.\.?\/)+errors\.ts)$/,
  runtime: /^(?:\.\.?\/)+errors\.ts$/,
  cli: /^(?:\.\.?\/)+errors\.ts$/,
};

test("a file that throws a SlipwayError imports its package's table of codes", () => {
  const wrong = packages.flatMap((name) =>
    sources(join(PACKAGES, name, "src")).flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/^import \{[^}]*(?<!type )\bSlipwayError\b[^}]*\} from "([^"]+)"/gm)]
        .filter(([, specifier = ""]) => name !== "durable" && ERRORS_OF[name]?.test(specifier) !== true)
        .map(() => relative(PACKAGES, file)),
    ),
  );
  expect(wrong).toEqual([]);
});

/** The groups of rooms of the kernel, lowest first; files of the root are between `change` and `tools`. */
const GROUPS = ["schema", "paths", "host", "record", "config", "budget", "notify", "change", "", "tools"];

test("a room of the kernel imports its own group and lower ones, except for the list of all tables", () => {
  const groupOf = (path: string) => (path.includes("/") ? (path.split("/")[0] ?? "") : "");
  const own = imports
    .filter(
      ({ from, file, specifier }) => from === "kernel" && specifier.startsWith(".") && !/\.test\.ts$|\/(?:testing|bench)[/.]/.test(file),
    )
    .map(({ file, specifier }) => ({
      file: relative("kernel/src", file),
      to: relative(join(PACKAGES, "kernel/src"), resolve(PACKAGES, dirname(file), specifier)),
    }))
    // Types only: every room has its tables listed there.
    .filter(({ file }) => file !== "record/database/tables.ts");
  expect(own.filter(({ file }) => !GROUPS.includes(groupOf(file)))).toEqual([]);
  expect(own.filter(({ file, to }) => GROUPS.indexOf(groupOf(to)) > GROUPS.indexOf(groupOf(file)))).toEqual([]);
});

test("no source file reaches into another package's folder by a relative path", () => {
  expect(imports.filter((found) => found.specifier.startsWith(".") && packageOf(found) !== found.from)).toEqual([]);
});

test("only packages/protocols names a protocol", () => {
  const files = packages.filter((name) => name !== "protocols").flatMap((name) => sources(join(PACKAGES, name, "src")));
  const naming = files
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file) && /\b(?:factory|criticality|forge|crew)\b/i.test(readFileSync(file, "utf8")))
    .map((file) => relative(PACKAGES, file));
  expect(naming).toEqual([]);
});

test("every protocol lands its change through the one question that shows what was found in it", () => {
  const own = imports.filter(({ from, file }) => from === "protocols" && !/\.test\.ts$|\/testing\//.test(file));
  const importersOf = (name: RegExp) =>
    new Set(own.filter(({ specifier }) => name.test(specifier)).map(({ file }) => relative("protocols/src", file)));
  expect([...importersOf(/\/ask-approval\.ts$/)]).toEqual(["change/land.ts"]);
  const landing = [...importersOf(/\/change\/(?:land|deliver)\.ts$/)].map((file) => file.split("/")[0]);
  expect([...new Set(landing)].toSorted()).toEqual(["crew", "criticality", "factory", "features", "forge"]);
  const merging = sources(join(PACKAGES, "protocols", "src")).filter((file) =>
    /\.readyToMerge\(|features\.merge\(/.test(readFileSync(file, "utf8")),
  );
  expect(
    merging.filter((file) => !/\.test\.ts$|\/testing\//.test(file)).map((file) => relative(join(PACKAGES, "protocols/src"), file)),
  ).toEqual(["change/land.ts"]);
});

test("there are no barrels and no files of 250 lines or more", () => {
  const all = packages
    .flatMap((name) => sources(join(PACKAGES, name, "src")))
    .filter((file) => !/\.test\.ts$|\/testing\/|\/bench\//.test(file));
  const tooLong = all.filter((file) => readFileSync(file, "utf8").split("\n").length > 251);
  expect(tooLong).toEqual([]);
  expect(all.filter((file) => file.endsWith("/index.ts"))).toEqual([]);
});

/** The rooms of a protocol that have its own tables. */
const OWN_STORES = /^protocols\/src\/(?:factory\/(?:artifacts|code-index|projects|tables\.ts)|forge\/ledger\/)/;

test("protocols contain no git, no child processes, and SQL only in their own stores", () => {
  const forbidden = ["node:sqlite", "node:child_process", "@slipway/kernel/host/git/runner"];
  const own = imports.filter(({ from, file }) => from === "protocols" && !/\.test\.ts$|\/testing\//.test(file));
  expect(own.filter(({ specifier }) => forbidden.includes(specifier))).toEqual([]);
  expect(own.filter(({ file, specifier }) => specifier === "kysely" && !OWN_STORES.test(file))).toEqual([]);
});

const SURFACES: readonly string[] = ["cli", "mcp", "runtime"];

test("no SQL and no git in cli, mcp and runtime", () => {
  const forbidden = /^(?:kysely|node:sqlite|@slipway\/durable\/sqlite|@slipway\/kernel\/(?:host\/git|record\/database)\/.*)$/;
  const importing = imports.filter(
    ({ from, file, specifier }) => SURFACES.includes(from) && !/\.test\.ts$|\/testing\//.test(file) && forbidden.test(specifier),
  );
  expect(importing.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  // Nor the database handle: surfaces use reads of the kernel, which take `Records`.
  const words =
    /\b(?:selectFrom|insertInto|updateTable|deleteFrom)\b|\.prepare\(|\bdatabase\.db\b|\bdatabase: \{ db\b|\bgit\.(?:run|text|start)\(/;
  const saying = SURFACES.flatMap((name) => sources(join(PACKAGES, name, "src")))
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file) && words.test(readFileSync(file, "utf8")))
    .map((file) => relative(PACKAGES, file));
  expect(saying).toEqual([]);
});

test("only the git room starts git, and only the sandbox, agents and the download of a demo start other processes", () => {
  const starters = imports
    .filter(
      ({ specifier, file }) => specifier === "node:child_process" && !file.endsWith(".test.ts") && !/\/(testing|bench)[/.]/.test(file),
    )
    .map(({ file }) => file);
  const allowed = [/^kernel\/src\/host\/(?:launcher|git|sandbox)\//, /^agents\/src\//, /^cli\/src\/demo\/unpack-package\.ts$/];
  expect(starters.filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual([]);
});

/** Removal by path follows links that parent folders may have become. */
const MAY_REMOVE_BY_PATH: Readonly<Record<string, string>> = {
  "kernel/src/record/relocation/relocate.ts": "moves the harness's own records, which no command sees",
  "kernel/src/host/git/worktree-writes.ts": "the harness's own note below the git directory, which no command sees",
  "kernel/src/record/database/database-file.ts": "the harness's own drafts below .slipway, which no command sees",
  "kernel/src/host/files/remove-tree.ts": "is the one way, and falls back to it where the system has no descriptors",
  "kernel/src/host/sandbox/self-test.ts": "removes folders that its own script was shown",
  "kernel/src/host/sandbox/gateway.ts": "removes a folder of its own that no command sees writable",
};

/** Rooms whose files untrusted code could reach shortly before, and the functions of node:fs they still use, with the reason. */
const AFTER_UNTRUSTED_CODE =
  /^kernel\/src\/(?:change\/(?:judge|work|feature|land|views|turn)|host\/(?:sandbox|file-views))\/|^agents\/src\/packs\//;
const CHANGES_FILES =
  /^(?:rm|rmdir|unlink|rename|writeFile|appendFile|mkdir|copyFile|cp|symlink|link|chmod|chown|truncate|utimes|lchown)(?:Sync)?$/;
const MAY_CHANGE_BY_PATH: Readonly<Record<string, string>> = {
  "agents/src/packs/blobs.ts": "the cache of contents, which agents see read-only",
  "agents/src/packs/materialise.ts": "fills a new folder before an agent sees it",
  "agents/src/packs/store.ts": "names beside the packs, in a folder that no agent sees",
  "kernel/src/change/feature/decisions.ts": "a projection below .slipway, which no command sees",
  "kernel/src/change/work/former-working-files.ts": "moves notes of the harness out of .slipway, which no command sees",
  "kernel/src/change/work/init.ts": "a projection below .slipway, which no command sees",
  "kernel/src/change/judge/trials/with-tree.ts": "makes the folder in which it runs",
  "kernel/src/change/land/approvals/key.ts": "the person's keys, which no command sees",
  "kernel/src/change/judge/probe.ts": "makes the folder in which it runs",
  "kernel/src/change/work/reset-tree.ts": "opens files by names below descriptors, in folders without a process",
  "kernel/src/change/views/summary.ts": "a folder of logs below .slipway, which no command sees",
  "kernel/src/change/judge/gates/log-folder.ts": "logs below .slipway, which no command sees",
  "kernel/src/change/judge/gates/log.ts": "logs below .slipway, which no command sees",
  "kernel/src/change/judge/gates/step-caches.ts":
    "moves folders between descriptors that inFolderOf has opened and a folder of the harness's own",
  "kernel/src/change/judge/gates/step-trees.ts": "makes layers in a folder of the harness's own",
  "kernel/src/host/sandbox/control-group.ts": "files of the kernel's control groups, which no command sees",
  "kernel/src/host/sandbox/control-group-place.ts": "folders of the kernel's control groups, which no command sees",
  "kernel/src/host/sandbox/layer.ts": "makes the folders of a layer before the command starts",
  "kernel/src/host/sandbox/mount-points.ts": "by names below descriptors that inFolderOf has opened",
  "kernel/src/host/sandbox/limit-probes.ts": "makes the folder in which it runs",
  "kernel/src/host/sandbox/wall-probes.ts": "lays out what its own script is shown, before it starts",
  "kernel/src/host/sandbox/socket-probe.ts": "lays out what its own script is shown, before it starts",
  "kernel/src/host/sandbox/unsandboxed.ts": "a link in a temporary folder of its own",
  "kernel/src/host/file-views/files.ts": "by names below descriptors that inFolderOf has opened",
};

function usesOfFs(pattern: RegExp): { file: string; names: string[] }[] {
  return packages
    .flatMap((name) => sources(join(PACKAGES, name, "src")))
    .filter((file) => !/\.test\.ts$|\/testing\/|\/bench[/.]/.test(file))
    .map((file) => ({
      file: relative(PACKAGES, file),
      names: [...readFileSync(file, "utf8").matchAll(/import \{([^}]*)\} from "node:fs(?:\/promises)?"/g)]
        .flatMap(([, list = ""]) => list.split(",").map((part) => part.trim().split(" ")[0] ?? ""))
        .filter((name) => pattern.test(name)),
    }))
    .filter(({ names }) => names.length > 0);
}

test("S3: files that untrusted code could reach are removed through descriptors: no other file uses rm of node:fs", () => {
  const removing = usesOfFs(/^rm(?:Sync)?$/).filter(({ file }) => /^(?:kernel|agents|languages)\//.test(file));
  expect(removing.map(({ file }) => file).filter((file) => MAY_REMOVE_BY_PATH[file] === undefined)).toEqual([]);
});

test("S3: rooms that work after untrusted code write and remove through descriptors, except where listed with a reason", () => {
  const changing = usesOfFs(CHANGES_FILES).filter(({ file }) => AFTER_UNTRUSTED_CODE.test(file));
  const allowed = { ...MAY_REMOVE_BY_PATH, ...MAY_CHANGE_BY_PATH };
  expect(changing.filter(({ file }) => allowed[file] === undefined)).toEqual([]);
  const listed = Object.keys(MAY_CHANGE_BY_PATH).filter((file) => AFTER_UNTRUSTED_CODE.test(file));
  expect(listed.filter((file) => !changing.some((found) => found.file === file))).toEqual([]);
});

test("S3: no source imports all of node:fs, which would hide what it uses", () => {
  const whole = packages
    .flatMap((name) => sources(join(PACKAGES, name, "src")))
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file) && /import (?:\* as \w+|\w+) from "node:fs/.test(readFileSync(file, "utf8")));
  expect(whole).toEqual([]);
});

const factory = (folder: string) =>
  sources(join(PACKAGES, "protocols/src/factory", folder)).filter((file) => !/\.test\.ts$|\/testing\//.test(file));
const saying = (pattern: RegExp) =>
  factory("")
    .filter((file) => pattern.test(readFileSync(file, "utf8")))
    .map((file) => relative(join(PACKAGES, "protocols/src/factory"), file))
    .toSorted();

test("[FAC-002] the factory calls a model where a role works, and nowhere else", () => {
  expect(saying(/\baskAgent\b|\bdispatcher\.invoke\b|\bopenDispatcher\b/)).toEqual(["engineering/record.ts", "product/refine.ts"]);
  expect(saying(/\bplay\(run\b/)).toEqual([
    "engineering/debate/adjudicate.ts",
    "engineering/debate/challenge.ts",
    "engineering/debate/propose.ts",
    "engineering/plan-task.ts",
    "late-change/debate-change.ts",
  ]);
});

test("[FAC-178] dispatch imports nothing about exceptions, and never mentions one", () => {
  const files = factory("project");
  expect(files.length).toBeGreaterThan(15);
  expect(files.filter((file) => /exceptions?\/|\bICE\b|exception_id|interface_change/.test(readFileSync(file, "utf8")))).toEqual([]);
});

test("tests start the program through testing/program.ts, so none uses a build older than the sources", () => {
  const exempt = ["architecture.test.ts", "attacks/installation.test.ts", "bundle.test.ts", "bench/status.ts", "bench/peer/mcp.ts"];
  const folder = import.meta.dirname;
  const naming = sources(folder).filter((file) => !file.includes("node_modules") && readFileSync(file, "utf8").includes("slipway.mjs"));
  expect(naming.map((file) => relative(folder, file)).toSorted()).toEqual(exempt.toSorted());
});

test("B10: only a few files write to a terminal, so everything there is escaped", () => {
  const shown = ["cli", "runtime", "protocols"].flatMap((name) => sources(join(PACKAGES, name, "src")));
  const own = shown.filter((file) => !/\.test\.ts$|\/testing\//.test(file));
  const found = (pattern: RegExp) => own.filter((file) => pattern.test(readFileSync(file, "utf8"))).map((file) => relative(PACKAGES, file));
  const edge = /process\.std(?:out|err)\b|\bconsole\.|"@clack\/prompts"|"log-update"|\bstyleText\b|\\(?:u001b|x1b)/i;
  expect(found(edge).toSorted()).toEqual([
    // The server speaks JSON-RPC over standard output.
    "cli/src/commands/mcp.ts",
    "cli/src/io.ts",
    "cli/src/terminal/prompts.ts",
    "cli/src/terminal/screen.ts",
    // Texts of programs that run in the sandbox.
    "protocols/src/forge/cascade/check-scripts.ts",
    "protocols/src/surface/style.ts",
  ]);
  // Lines of JSON are made by `jsonLine`, because the writer would change a value that it escapes.
  expect(found(/\bout\([^\n]*JSON\.stringify\([^\n]*\)\}\\n`/)).toEqual([]);
});

interface ExportedName {
  readonly name: string;
  readonly file: string;
  readonly isType: boolean;
}

const exported: readonly ExportedName[] = packages
  .flatMap((name) => sources(join(PACKAGES, name, "src")))
  .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
  .flatMap((file) =>
    [
      ...readFileSync(file, "utf8").matchAll(/^export (?:declare )?(?:async )?(interface|type|function|const|class) ([A-Za-z0-9_$]+)/gm),
    ].map(([, kind = "", name = ""]) => ({ name, file: relative(PACKAGES, file), isType: kind === "interface" || kind === "type" })),
  );

/** Words that GLOSSARY.md replaces, and endings without meaning. */
const NOT_OUR_WORDS =
  /^(?:shops?|sites?|desks?|commissions?|players?|glances?|sheets?|backlog|unhurried|scrutin\w*|whatever|whoever|nobody|somebody|mend\w*|cast|conduct|ground|rooms|told|personas?|handlers?|helpers?|utils?|jobs?|pipelines?|tickets?)$/i;

test("exported names use the words of the glossary", () => {
  expect(exported.length).toBeGreaterThan(2000);
  const wrong = exported.filter(({ name }) => name.split(/(?=[A-Z])|_/).some((word) => NOT_OUR_WORDS.test(word)));
  expect(wrong).toEqual([]);
});

test("one exported type name means one thing", () => {
  const files = Map.groupBy(
    exported.filter(({ isType }) => isType),
    ({ name }) => name,
  );
  expect([...files].filter(([, found]) => found.length > 1).map(([name, found]) => [name, ...found.map(({ file }) => file)])).toEqual([]);
});
