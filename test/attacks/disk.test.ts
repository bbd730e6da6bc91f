import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { isRoot } from "../bad-input/place.ts";
import { adding } from "./patches.ts";
import { openSite } from "./site.ts";
import { unharmed } from "./surroundings.ts";
import { OPEN_POLICY } from "./yard.ts";

test("attack 36: with a full disk nothing is acknowledged that is not stored, and the run continues when there is space", async (context) => {
  const disk = smallDisk();
  if (disk === null) return context.skip("no small file system can be mounted here (needs root)");
  const site = await openSite({ files: { "slipway/policy.yaml": OPEN_POLICY }, place: disk });
  onTestFinished(() => site.close());
  const { yard, builder } = site;
  const feature_id = await site.feature();
  const before = await site.state(feature_id);
  const input = { feature_id, unified_diff: adding("src/big.txt", `${noise(400_000)}\n`), operation_id: "once" };
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "filler"), Buffer.alloc(Math.max(0, bavail * bsize - 100_000)));
  await unharmed(yard, [feature_id], async () => {
    const error = await builder.refused("repo.apply_patch", input);
    expect(["disk_full", "io_error"]).toContain(error.code);
  });
  rmSync(join(disk, "filler"));
  expect(await site.state(feature_id)).toEqual(before);
  await unharmed(yard, [feature_id], () => builder.ok("repo.apply_patch", input));
  expect((await site.state(feature_id)).version).toBe(before.version + 1);
  expect(yard.read(yard.worktree(feature_id, "src/big.txt"))).toHaveLength(400_001);
  expect(yard.git("fsck", "--full", "--no-dangling")).toBe("");
});

/** Incompressible. */
function noise(length: number): string {
  let [state, text] = [1, ""];
  while (text.length < length) {
    state = (state * 48_271) % 2_147_483_647;
    text += state.toString(36);
  }
  return text.slice(0, length);
}

/** A file system of a few megabytes, or null if none can be mounted. */
function smallDisk(): string | null {
  if (!isRoot()) return null;
  const folder = mkdtempSync(join(tmpdir(), "slipway-disk-"));
  try {
    execFileSync("/bin/mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return null;
  }
  onTestFinished(() => {
    execFileSync("/bin/umount", ["--lazy", folder]);
    rmSync(folder, { recursive: true });
  });
  return folder;
}
