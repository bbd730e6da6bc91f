import { execFileSync } from "node:child_process";
import { existsSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { slipway } from "./cli.ts";
import { replacing } from "./patches.ts";
import { openSite, type Site } from "./site.ts";
import { unharmed } from "./surroundings.ts";
import { makeYard, OPEN_POLICY } from "./yard.ts";

let site: Site;
beforeAll(async () => {
  site = await openSite({ files: { "slipway/policy.yaml": OPEN_POLICY } });
});
afterAll(() => site.close());

const pwned = () => join(site.yard.outside, "pwned");

function evilConfig(): string {
  const evil = `sh -c 'touch ${pwned()}'`;
  const settings = ["fsmonitor", "sshCommand", "pager", "editor", "hooksPath"].map((key) => `\t${key} = "${evil}"\n`);
  return `[core]\n\tbare = false\n${settings.join("")}[filter "evil"]\n\tclean = "${evil}"\n\tsmudge = "${evil}"\n[diff]\n\texternal = "${evil}"\n`;
}

/** Every tool that works on the worktree. */
async function useWorktree(feature_id: string): Promise<string[]> {
  const calls: [string, Record<string, unknown>][] = [
    ["repo.status", {}],
    ["repo.diff", {}],
    ["repo.apply_patch", { unified_diff: replacing("src/a.txt", "one", "two") }],
    ["gates.run", { profile: "default", mode: "fast" }],
  ];
  const outcomes = [];
  for (const [tool, input] of calls) {
    const envelope = await site.builder.call(tool, { feature_id, ...input });
    outcomes.push(envelope.ok ? "ok" : envelope.error.code);
  }
  return outcomes;
}

function initAt(path: string, ...more: readonly string[]): void {
  execFileSync("git", ["init", "--quiet", ...more, path], { env: { PATH: process.env["PATH"], HOME: "/" } });
}

test("attack 19: a replaced .git with its own configuration is not used", async () => {
  const feature = await site.feature();
  const worktree = site.yard.worktree(feature);
  rmSync(join(worktree, ".git"));
  initAt(worktree);
  writeFileSync(join(worktree, ".git", "config"), evilConfig());
  writeFileSync(join(worktree, ".gitattributes"), "* filter=evil\n");
  const outcomes = await unharmed(site.yard, [feature], () => useWorktree(feature));
  expect(outcomes.slice(2)).toEqual(["worktree_swapped", "worktree_swapped"]);
  expect(existsSync(pwned())).toBe(false);
  expect(existsSync(join(worktree, ".git", "config"))).toBe(true);
});

describe("attack 22: a value that begins with a dash is never an option", () => {
  test.each(["-x", "--upload-pack=touch", "--output=planted", "main", "Main", "HEAD", "a..b", "../escape", "a/b", "x\n", ""])(
    "attack 22: the feature id %j is refused before git sees it",
    async (feature_id) => {
      const { yard, orchestrator } = site;
      if (feature_id === "main") yard.write(".slipway/features/main/spec.md", "# Main\n\nWords.\n");
      const error = await unharmed(yard, [], () => orchestrator.refused("feature.init", { feature_id }));
      expect(["schema_validation_failed", "invalid_feature_slug"]).toContain(error.code);
    },
  );

  test("attack 22: so is such a base branch, before anything is served", async () => {
    const policy = OPEN_POLICY.replace("base_branch: main", 'base_branch: "--output=planted"');
    const yard = await makeYard({ files: { "slipway/policy.yaml": policy } });
    onTestFinished(() => yard.remove());
    const ended = await unharmed(yard, [], () => slipway(yard, ["mcp"]));
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringMatching(/^config_invalid: [^]*base_branch/) });
  });
});

test("attack 23: an embedded bare repository is treated as files, and its configuration is not used", async () => {
  const feature = await site.feature();
  const bare = site.yard.worktree(feature, "nested");
  initAt(bare, "--bare");
  writeFileSync(join(bare, "config"), evilConfig().replace("bare = false", "bare = true"));
  for (const hook of ["post-checkout", "post-index-change", "reference-transaction", "pre-commit"])
    writeFileSync(join(bare, "hooks", hook), `#!/bin/sh\ntouch ${pwned()}\n`, { mode: 0o755 });
  const outcomes = await unharmed(site.yard, [feature], () => useWorktree(feature));
  // Reads are allowed; before a write a person decides about bytes that no patch put there.
  expect(outcomes).toEqual(["ok", "ok", "worktree_edited", "worktree_edited"]);
  expect(existsSync(pwned())).toBe(false);
});

describe("attack 24: a swapped worktree is noticed, and left alone", () => {
  const swaps: Record<string, (worktree: string) => void> = {
    "a link in its place": (worktree) => {
      renameSync(worktree, `${worktree}-moved`);
      symlinkSync(`${worktree}-moved`, worktree);
    },
    "a link to the user's checkout": (worktree) => {
      rmSync(worktree, { recursive: true });
      symlinkSync(site.yard.root, worktree);
    },
    "a .git file that points elsewhere": (worktree) => writeFileSync(join(worktree, ".git"), `gitdir: ${site.yard.outside}\n`),
    "the .git file of another feature": (worktree) =>
      writeFileSync(join(worktree, ".git"), site.yard.read(site.yard.worktree("bystander", ".git"))),
    "a .git link": (worktree) => {
      rmSync(join(worktree, ".git"));
      symlinkSync(join(site.yard.root, ".git"), join(worktree, ".git"));
    },
    "a link in place of a folder on the way": (worktree) => {
      rmSync(join(worktree, "src"), { recursive: true });
      symlinkSync(join(site.yard.root, "src"), join(worktree, "src"));
    },
  };
  test.each(Object.entries(swaps))("attack 24: %s", async (name, swap) => {
    const feature = await site.feature();
    swap(site.yard.worktree(feature));
    const own = [feature, `${feature}-moved`];
    const outcomes = await unharmed(site.yard, own, () => useWorktree(feature));
    // A link inside the worktree is content like any other: a person decides about it before a write.
    const expected = name.includes("on the way") ? ["worktree_edited", "worktree_edited"] : ["worktree_swapped", "worktree_swapped"];
    expect(outcomes.slice(2)).toEqual(expected);
  });
});
