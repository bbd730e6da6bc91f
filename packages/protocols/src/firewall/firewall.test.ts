import { rulingsOf } from "@slipway/kernel/host/file-views/rules";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { twinsOf } from "./judged-path.ts";
import { droppedRefusals, outsideChanges } from "./outside-changes.ts";
import { packRulesOf } from "./pack-rules.ts";
import { judgeAccess, type Access, type RoleGrant } from "./role-grant.ts";

const OUTPUT = ".slipway/runs/r1/verification-reports/task-01.yaml";

/** Reads everything but `private`, changes `src` without `src/gen`. */
const grant: RoleGrant = {
  role: "verifier",
  mayRead: () => true,
  mayWrite: (path) => path.startsWith("src/") && !path.startsWith("src/gen/"),
  outputs: [OUTPUT],
  forbidden: ["private", "src/gen", "Straße"],
};
const reader: RoleGrant = { ...grant, mayWrite: () => false };

const verdictOf = (access: Access, path: string, of = grant, known: readonly string[] = []) =>
  judgeAccess(of, access, path, twinsOf(known));
const isAllowed = (access: Access, path: string, of = grant, known: readonly string[] = []) => verdictOf(access, path, of, known).allowed;

describe("[FOR-020] an access", () => {
  test("is judged by what it does with the path", () => {
    expect(isAllowed("read", "docs/a.md")).toBe(true);
    expect(verdictOf("write", "docs/a.md")).toEqual({
      allowed: false,
      reason: "docs/a.md may not be changed by the verifier",
    });
    expect(isAllowed("write", "src/a.ts")).toBe(true);
    expect(isAllowed("write", "./src//b/../a.ts")).toBe(false);
    expect(isAllowed("write", "./src//a.ts")).toBe(true);
  });

  test.each([
    ["above the repository", "../x"],
    ["by a way through ..", "src/../src/a.ts"],
    ["absolute", "/etc/passwd"],
    ["on a drive", "C:/x"],
    ["with a backslash", "src\\a.ts"],
    ["with a NUL", "src/a.ts\0.md"],
    ["in git's folder", ".git/config"],
    ["in git's folder, by another name", "src/GIT~1/config"],
    ["in Slipway's configuration", "slipway/policy.yaml"],
    ["in Slipway's configuration, in capitals", "SLIPWAY/policy.yaml"],
    ["in Slipway's configuration, with a long s", "\u017flipway/policy.yaml"],
    ["in Slipway's configuration, as a stream", "slipway::$INDEX_ALLOCATION/policy.yaml"],
    ["in another spelling of .slipway", ".Slipway/runs/x"],
    ["forbidden", "private/key"],
    ["forbidden, in another case", "Private/key"],
    ["forbidden, below a readable folder", "src/GEN/x.ts"],
    ["forbidden, in another writing of its letters", "strasse/x"],
    ["with a trailing dot", "docs./x"],
    ["with a trailing space", "docs/x "],
    ["in another Unicode form", "docs/u\u0308.md"],
    ["with an invisible character", "\u200c./private/key"],
  ])("with a path %s is refused", (_, path) => {
    expect(isAllowed("read", path)).toBe(false);
    expect(isAllowed("write", path)).toBe(false);
  });

  test("with another spelling of an existing path is refused", () => {
    const known = ["src/Lib/a.ts", "README.md"];
    expect(isAllowed("write", "src/Lib/b.ts", grant, known)).toBe(true);
    expect(verdictOf("write", "src/lib/b.ts", grant, known)).toEqual({
      allowed: false,
      reason: "src/lib/b.ts is another spelling of src/Lib",
    });
    expect(isAllowed("read", "readme.md", grant, known)).toBe(false);
    expect(isAllowed("read", "readme.md", grant, [...known, "readme.md"])).toBe(true);
  });
});

describe("[FOR-021] own outputs", () => {
  test("are writable for a role that writes nothing else, and nothing beside them is", () => {
    expect(isAllowed("write", OUTPUT, reader)).toBe(true);
    expect(isAllowed("write", OUTPUT.replace("task-01", "task-02"), reader)).toBe(false);
    expect(isAllowed("write", "src/a.ts", reader)).toBe(false);
    expect(isAllowed("read", OUTPUT, { ...reader, mayRead: () => false })).toBe(true);
  });
});

const name = fc.constantFrom("src", "gen", "docs", "private", "slipway", ".git", "a.ts", "Lib", "stra\u00dfe", "\u00fc.md");
const somePath = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const noise = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 9 })), { maxLength: 6 });

/** The path as somebody would write it who wants it to look like another one. */
function respelled(path: string, changes: readonly (readonly [number, number])[]): string {
  return changes.reduce((text, [seed, kind]) => {
    const at = seed % (text.length + 1);
    const letter = text[at] ?? "";
    const put = (inner: string) => text.slice(0, at) + inner + text.slice(at + letter.length);
    if (kind === 0) return put(letter.toUpperCase());
    if (kind === 1) return put(letter.toLowerCase());
    if (kind === 2) return `./${text}`;
    if (kind === 3) return text.replace("/", "//");
    if (kind === 4) return text.normalize("NFD");
    if (kind === 5) return text.replace("/", "./");
    if (kind === 6) return `${text} `;
    if (kind === 7) return text.replace("/", "/x/../");
    if (kind === 8) return put(`\u200c${letter}`);
    return text.replaceAll("s", "\u017f");
  }, path);
}

describe("[FOR-020] whatever its spelling, a path outside the grant", () => {
  const closed: RoleGrant = { ...grant, mayRead: () => true, mayWrite: () => true, forbidden: ["private", "src/gen"] };
  const isClosed = (path: string) => /^(slipway|private|src\/gen)(\/|$)/.test(path) || path.split("/").includes(".git");

  test("that is closed is never allowed", () => {
    fc.assert(
      fc.property(somePath, noise, (path, changes) => {
        fc.pre(isClosed(path));
        const spelled = respelled(path, changes);
        expect(isAllowed("read", spelled, closed)).toBe(false);
        expect(isAllowed("write", spelled, closed)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });

  test("that exists is never allowed by a grant that lists others", () => {
    fc.assert(
      fc.property(fc.uniqueArray(somePath, { minLength: 2, maxLength: 6 }), noise, (files, changes) => {
        const [secret = "", ...open] = files;
        const listing: RoleGrant = {
          ...grant,
          mayRead: (path) => open.includes(path),
          mayWrite: (path) => open.includes(path),
          forbidden: [],
        };
        const spelled = respelled(secret, changes);
        fc.pre(!open.includes(spelled));
        const verdicts = (["read", "write"] as const).map((access) => isAllowed(access, spelled, listing, files));
        // A spelling of the secret path may be the canonical form of a listed one only by equality.
        expect(verdicts).toEqual([false, false]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("the rules of a pack", () => {
  const someGrant = fc.record({
    writable: fc.uniqueArray(somePath, { maxLength: 6 }),
    readable: fc.uniqueArray(somePath, { maxLength: 6 }),
    outputs: fc.uniqueArray(somePath, { maxLength: 2 }),
    unlisted: fc.constantFrom<Access | null>(null, "read", "write"),
  });

  test("agree with the grant for every listed file", () => {
    fc.assert(
      fc.property(fc.uniqueArray(somePath, { maxLength: 12 }), someGrant, (files, { writable, readable, outputs, unlisted }) => {
        const one: RoleGrant = {
          ...grant,
          mayRead: (path) => readable.includes(path),
          mayWrite: (path) => writable.includes(path),
          outputs,
          forbidden: ["private"],
        };
        const rulings = rulingsOf(packRulesOf(one, files, unlisted));
        // Git's own folder cannot be part of a pack.
        for (const file of files.filter((path) => !path.split("/").includes(".git"))) {
          const ruling = rulings(file);
          expect(ruling.kind === "shown" && ruling.writable, `write ${file}`).toBe(isAllowed("write", file, one, files));
          expect(ruling.kind === "shown", `read ${file}`).toBe(isAllowed("read", file, one, files));
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("give a path that nobody listed the share of such paths, and nothing in what is closed", () => {
    const writable = (unlisted: Access | null, path: string) => {
      const ruling = rulingsOf(packRulesOf({ ...grant, mayWrite: () => true }, ["src/a.ts"], unlisted))(path);
      return ruling.kind === "shown" && ruling.writable;
    };
    expect((["write", "read", null] as const).map((unlisted) => writable(unlisted, "docs/new.md"))).toEqual([true, false, false]);
    for (const path of ["slipway/policy.yaml", ".slipway/x", "private/x", "src/gen/x.ts"]) expect(writable("write", path)).toBe(false);
  });

  test("do not let a file be created beside one that may be changed", () => {
    const rulings = rulingsOf(packRulesOf(grant, ["src/a.ts", "docs/a.md"], "read"));
    const writable = (path: string) => {
      const ruling = rulings(path);
      return ruling.kind === "shown" && ruling.writable;
    };
    expect(["src/a.ts", "src/b.ts", "docs/b.md"].map(writable)).toEqual([true, false, false]);
  });

  test("are as few as the folders that differ", () => {
    const files = Array.from({ length: 500 }, (_, index) => [`src/m${String(index)}/a.ts`, `docs/m${String(index)}/a.md`]).flat();
    const wide = { ...grant, mayWrite: (path: string) => path.startsWith("src/"), forbidden: [] };
    const paths = packRulesOf(wide, files, "write").map(({ path }) => path);
    expect(paths.toSorted()).toEqual([".", ".slipway", OUTPUT, "docs", "slipway"]);
  });
});

describe("made changes", () => {
  test("outside the grant are named with the reason", () => {
    expect(outsideChanges(["docs/x.md", "src/a.ts", "SLIPWAY/policy.yaml"], grant)).toEqual([
      "docs/x.md may not be changed by the verifier",
      `the path "SLIPWAY/policy.yaml" is in Slipway's own folder`,
    ]);
  });

  test("that were dropped are refused calls of the tool that makes them", () => {
    expect(droppedRefusals([{ path: "private/k", what: "removed", reason: "it may be read and not changed" }])).toEqual([
      { tool: "delete", path: "private/k", reason: "it may be read and not changed" },
    ]);
  });
});
