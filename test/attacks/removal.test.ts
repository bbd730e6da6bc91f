import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { PROGRAM } from "slipway/testing/program";
import { describe, expect, test, beforeAll, afterAll } from "vitest";
import { asUser, attackers } from "./ordinary-user.ts";
import { adding } from "./patches.ts";
import { openSite, type Site } from "./site.ts";
import { OPEN_POLICY } from "./yard.ts";

/** Files and folders that are hard to list, to read or to remove. */
const HOSTILE = `set -e
node -e 'for (let n = 0; n < 300; n++) { fs.mkdirSync("d".repeat(60)); process.chdir("d".repeat(60)); fs.writeFileSync("f", ""); }'
mkdir -p closed/inner cache/mod@v1
echo x > closed/inner/file; echo x > cache/mod@v1/mod.go; ln -s / closed/link
mkdir "$(printf 'line\\nend \\377')"; echo x > "$(printf 'line\\nend \\377/name \\376')"
truncate -s 1900M sparse1 sparse2 sparse3
mkfifo pipe
chmod 000 closed/inner/file closed/inner closed
chmod 444 cache/mod@v1/mod.go; chmod 555 cache/mod@v1 cache
mkdir many; i=0; while [ $i -lt 2000 ]; do i=$((i+1)); : > many/$i; done
`;
const steps = "[{ name: attack, cmd: [sh, attack.sh], timeout_seconds: 60 }]";
const GATES = `version: 1\nprofiles: { default: { modes: { fast: ${steps}, full: ${steps} } } }\n`;

describe.each(attackers())("as %s", (_name, user) => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ files: { "slipway/gates.yaml": GATES, "slipway/policy.yaml": OPEN_POLICY }, user });
  });
  afterAll(() => site.close());

  const plant = (folder: string) => {
    const command = ["sh", "-c", HOSTILE] as const;
    const [program, ...args] = user === undefined ? command : asUser(user, command);
    execFileSync(program, args, { cwd: folder, env: { PATH: process.env["PATH"] }, stdio: "pipe" });
  };
  const asOwner = async (...argv: readonly string[]) => {
    const command = [process.execPath, ...PROGRAM, ...argv] as const;
    const [program, ...args] = user === undefined ? command : asUser(user, command);
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: site.yard.root, env: { ...site.yard.env }, encoding: "utf8" });
    return { code: status, stdout, stderr };
  };
  const inState = (...path: readonly string[]) => {
    const folder = join(site.yard.home, "state/slipway", ...path);
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  test("what a gate leaves behind is removed, and feature and repository go on", async () => {
    const feature_id = await site.feature();
    await site.builder.ok("repo.apply_patch", { feature_id, unified_diff: adding("attack.sh", HOSTILE) });
    await site.builder.ok("gates.run", { feature_id, mode: "fast" });
    await site.builder.ok("gates.run", { feature_id, mode: "fast" });
    expect(inState("layers")).toEqual([]);
    await site.builder.ok("repo.apply_patch", { feature_id, unified_diff: adding("later.txt") });
    const next = await site.feature();
    await site.builder.ok("repo.apply_patch", { feature_id: next, unified_diff: adding("attack.sh", "exit 0\n") });
    await site.builder.ok("gates.run", { feature_id: next, mode: "fast" });
  });

  test("a worktree full of it is deleted with --force, and nothing of it is left", async () => {
    const feature_id = await site.feature();
    plant(site.yard.worktree(feature_id));
    expect(await asOwner("delete", feature_id)).toMatchObject({ code: 0 });
    const { code, stdout, stderr } = await asOwner("delete", feature_id, "--force");
    expect(code, `${stdout}${stderr}`).toBe(0);
    expect(readdirSync(site.yard.worktree("")).filter((name) => name === feature_id || name.startsWith("."))).toEqual([]);
    expect([inState("layers"), inState("trash")]).toEqual([[], []]);
    await site.feature();
  });
});
