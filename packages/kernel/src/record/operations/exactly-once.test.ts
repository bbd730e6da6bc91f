import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs, lettersOn, LETTERS } from "../../change/testing/letters.ts";
import { openScratchKernel, replaceLine, type ScratchKernel } from "../../change/testing/scratch-kernel.ts";
import { unfinishedOperations } from "./ledger.ts";

let scratch: ScratchKernel;
/** The operation that is interrupted once, between its effect and its record, as by a crash. */
let cutOff: string | null;
let begun: string[];

beforeEach(async () => {
  cutOff = null;
  begun = [];
  scratch = await openScratchKernel(
    {},
    {
      observe({ phase, name, operationId }) {
        if (phase === "started") begun.push(operationId);
        if (phase !== "effect_done" || name !== cutOff) return;
        cutOff = null;
        throw new Error("the process ends here");
      },
    },
  );
});
afterEach(() => scratch.close());

const call = (operationId: string) => ({ ...callAs(), operationId });
const open = async () => (await unfinishedOperations(scratch.records.database.db)).map(({ id, status }) => `${id} ${status}`);

describe("[FEA-176] between the effect and its record", () => {
  test("a patch that is already in the files is completed, not applied again", async () => {
    const letters = lettersOn(scratch);
    await letters.planned();
    const before = await letters.row();
    const apply = () =>
      scratch.kernel.features.applyPatch(call("patch"), { ...LETTERS, unified_diff: replaceLine("src/a.txt", "one", "two") });
    cutOff = "repo.apply_patch";
    await expect(apply()).rejects.toThrow("the process ends here");
    expect(await open()).toEqual(["patch started"]);
    expect((await letters.row()).tree).toBe(before.tree);
    const { tree } = await apply();
    expect(letters.file("src/a.txt")).toBe("two\n");
    expect(await letters.row()).toMatchObject({ tree, version: before.version + 1 });
    expect(await apply()).toMatchObject({ tree });
    expect(begun.filter((id) => id === "patch")).toHaveLength(2);
    expect(await open()).toEqual([]);
  });

  test("a merge whose commit is on the base branch is completed with that commit", async () => {
    const letters = lettersOn(scratch);
    const token = scratch.sign(await letters.ready());
    const merge = () => scratch.kernel.features.merge(call("merge"), { ...LETTERS, user_approval_token: token });
    cutOff = "feature.ready_to_merge";
    await expect(merge()).rejects.toThrow("the process ends here");
    const landed = scratch.git("rev-parse", "main").trim();
    expect((await letters.row()).status).toBe("ready_to_merge");
    expect(await merge()).toMatchObject({ commit: landed });
    expect(scratch.git("rev-list", "--first-parent", "--count", "main").trim()).toBe("2");
    expect((await letters.row()).status).toBe("merged");
  });

  test("a temporary failure is not recorded: the same call can still succeed", async () => {
    const letters = lettersOn(scratch);
    await letters.init();
    await letters.init("other");
    const events = { resources: ["events"] };
    await scratch.kernel.features.acquireLocks(call("theirs"), { feature_id: "other", ...events });
    const mine = () => scratch.kernel.features.acquireLocks(call("mine"), { ...LETTERS, ...events });
    await expect(mine()).rejects.toMatchObject({ code: "lock_conflict" });
    await scratch.kernel.features.releaseLock(call("freed"), { feature_id: "other", resource: "events" });
    expect((await mine()).leases).toMatchObject([{ holder: "letters" }]);
  });
});
