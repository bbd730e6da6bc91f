import { systemClock } from "@slipway/durable/environment";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Candidate } from "../land/candidate.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let approved: Candidate;
let token: string;
beforeEach(async () => {
  scratch = await openScratchKernel({}, { clock: { ...systemClock } });
  approved = await lettersOn(scratch).ready();
  token = scratch.sign(approved);
});
afterEach(() => scratch.close());

const holding = (candidate: Candidate, word = token) => scratch.kernel.features.approvalHolding(word, candidate);
/** The candidate after another person has committed this to the base. */
async function after(path: string, text: string): Promise<Candidate> {
  scratch.write(path, text);
  scratch.git("add", "--all", "--", path);
  scratch.git("commit", "--quiet", "--message=theirs");
  return scratch.kernel.features.candidate(callAs(), LETTERS);
}

test("an approval holds for the approved tree, and for the same change on a base that moved elsewhere", async () => {
  expect(await holding(approved)).toEqual({ holds: true });
  const moved = await after("src/b.txt", "theirs\n");
  expect(moved.base).not.toBe(approved.base);
  expect(await holding(moved)).toEqual({ holds: true });
});

test("a base that moved in files of the change is refused with their names", async () => {
  scratch.write("src/a.txt", "one\n\n\n\n\nmore\n");
  scratch.git("commit", "--quiet", "--all", "--message=theirs");
  const base = scratch.git("rev-parse", "main").trim();
  const blob = scratch.git("hash-object", "-w", "check.sh").trim();
  scratch.git("update-index", "--cacheinfo", `100644,${blob},src/a.txt`);
  const tree = scratch.git("write-tree").trim();
  expect(await holding({ ...approved, base, tree, change: "another" })).toEqual({
    holds: false,
    rule: "change",
    why: "main has moved in files that the change touches: src/a.txt",
  });
});

test("a different change is refused, whether or not the base has moved", async () => {
  const why = "the change differs from the approved one";
  expect(await holding({ ...approved, change: "another" })).toEqual({ holds: false, rule: "change", why });
  const moved = await after("src/b.txt", "theirs\n");
  expect(await holding({ ...moved, change: "another" })).toEqual({ holds: false, rule: "change", why });
});

test.each<readonly [string, string, Partial<Candidate>]>([
  ["another feature", "feature", { feature_id: "other" }],
  ["another policy", "policy", { policy_hash: "other" }],
  ["another clone", "repository", { repository: "other" }],
  ["another message", "message", { message_digest: "other" }],
  ["another tree on the same base", "tree", { tree: "f".repeat(40) }],
])("it does not hold for %s", async (_what, rule, changed) => {
  expect(await holding({ ...approved, ...changed })).toMatchObject({ holds: false, rule });
});

test("a malformed token holds for nothing", async () => {
  for (const word of ["", "yes", token.slice(1), "{}"])
    expect(await holding(approved, word)).toMatchObject({ holds: false, rule: "malformed" });
});
