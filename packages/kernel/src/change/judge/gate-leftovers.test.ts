import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { declareWriting } from "../../host/git/worktree-writes.ts";
import { callAs as call, lettersOn } from "../testing/letters.ts";
import { POLICY, openScratchKernel, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
const worktree = (path: string) => join(scratch.root, ".worktrees", "letters", path);
const gate = () => scratch.kernel.features.runGates(call(), { feature_id: "letters", mode: "fast" });

/** Each run prints what it found, then writes to every ignored path. */
const CHECK = `for path in build/made caches/made src/x.tmp .env; do if test -e $path; then echo "$path was there"; fi; done
mkdir -p build caches; echo made > build/made; echo made > caches/made; echo made > src/x.tmp
`;

beforeEach(async () => {
  scratch = await openScratchKernel({
    "check.sh": CHECK,
    ".gitignore": "build/\ncaches/\n*.tmp\n.env\n",
    "slipway/policy.yaml": `${POLICY}execution: { caches: [caches] }\n`,
  });
  await lettersOn(scratch).init();
});
afterEach(() => scratch.close());

async function found(): Promise<string> {
  const { steps } = await gate();
  return readFileSync(steps[0]?.log_path ?? "", "utf8");
}

test("a gate finds no ignored files of another gate, except in the policy's caches", async () => {
  writeFileSync(worktree(".env"), "mine\n");
  expect(await found()).toBe(".env was there\n");
  expect(await found()).toBe("caches/made was there\n.env was there\n");
  expect([existsSync(worktree("build")), existsSync(worktree("src/x.tmp")), readFileSync(worktree(".env"), "utf8")]).toEqual([
    false,
    false,
    "mine\n",
  ]);
});

test("files of a killed gate are removed before the next one; older files stay", async () => {
  await found();
  const note = scratch.records.layout.besideNote("letters");
  mkdirSync(dirname(note), { recursive: true });
  writeFileSync(note, JSON.stringify([".env"]));
  mkdirSync(worktree("build"));
  writeFileSync(worktree("build/made"), "planted\n");
  writeFileSync(worktree(".env"), "mine\n");
  expect(await found()).toBe("caches/made was there\n.env was there\n");
});

test("the note that an earlier version left in .slipway is used by the next gate, and removed", async () => {
  await found();
  const former = join(scratch.root, ".slipway", "features", "letters", "gate.beside.json");
  writeFileSync(former, JSON.stringify([".env"]));
  mkdirSync(worktree("build"));
  writeFileSync(worktree("build/made"), "planted\n");
  writeFileSync(worktree(".env"), "mine\n");
  expect(await found()).toBe("caches/made was there\n.env was there\n");
  expect([former, scratch.records.layout.besideNote("letters")].map((path) => existsSync(path))).toEqual([false, false]);
});

test("the harness's working files of an earlier version in .slipway are removed at start-up", async () => {
  await found();
  const folder = join(scratch.root, ".slipway", "features", "letters");
  const former = ["harness.index", "harness.index.lock", "gate.beside.json"].map((name) => join(folder, name));
  for (const path of former) writeFileSync(path, "[]");
  await scratch.kernel.features.repairProjections();
  expect(former.map((path) => existsSync(path))).toEqual([false, false, false]);
  expect(readFileSync(scratch.records.layout.besideNote("letters"), "utf8")).toBe("[]");
  expect(await found()).toBe("caches/made was there\n");
});

test("files of a stopped gate are removed before the next one", async () => {
  const stop = new AbortController();
  const onStep = ({ kind }: { kind: string }) => kind === "finished" && stop.abort();
  await expect(
    scratch.kernel.features.runGates(call(), { feature_id: "letters", mode: "fast" }, stop.signal, onStep),
  ).rejects.toMatchObject({ code: "run_stopped" });
  // As after a kill: an untracked file of the gate, so that the worktree must be reconciled first.
  const { worktree: path, tree: from, base_commit: base } = await lettersOn(scratch).row();
  await declareWriting(scratch.kernel.repository, path, { from, to: null, base });
  writeFileSync(worktree("stray.txt"), "stray\n");
  expect(await found()).toBe("caches/made was there\n");
});

test("what a step leaves is anchored up to a limit, the rest is named, and the anchors go with the feature", async () => {
  const bomb =
    "for n in 1 2 3 4 5 6 7 8; do truncate -s 1900M src/hole$n; done; head -c 70000000 /dev/zero > large; echo kept > src/small\n";
  const other = await openScratchKernel({ "check.sh": bomb });
  try {
    await lettersOn(other).init();
    expect((await other.kernel.features.runGates(call(), { feature_id: "letters", mode: "fast" })).passed).toBe(true);
    const anchors = () => other.git("for-each-ref", "--format=%(refname)", "refs/slipway").trim().split("\n");
    const found = anchors().filter((ref) => ref.endsWith("found"));
    expect(found).toHaveLength(1);
    const kept = other.git("ls-tree", "-r", "--name-only", found[0] ?? "");
    expect(kept).toContain("src/small");
    expect(kept).not.toMatch(/hole|large/);
    const [repair] = await other.records.database.db.selectFrom("events").select("payload").where("name", "=", "feature.repair").execute();
    expect(repair?.payload).toMatch(/dropped what exceeds 64 MiB or 10000 files: src\/hole\d \(1900 MiB\)/);
    await other.kernel.features.delete(call(), { feature_id: "letters", force: true });
    expect(anchors().filter((ref) => ref.endsWith("found"))).toEqual([]);
  } finally {
    await other.close();
  }
});
