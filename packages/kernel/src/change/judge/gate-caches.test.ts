import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StepEvent } from "./gates/run.ts";
import { openStepCaches } from "./gates/step-caches.ts";
import { sandboxForGates } from "./gates/testing/gate.ts";
import { scratchFolder } from "../../host/sandbox/testing/scratch.ts";
import { unsandboxed } from "../../host/sandbox/unsandboxed.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, POLICY, replaceLine, type ScratchKernel } from "../testing/scratch-kernel.ts";

/**
 * Prints whether its cache has the file of an earlier run, and the content of a tracked file in another listed folder. Writes both for the
 * next run.
 */
const STEP =
  "if test -e caches/poison; then stat -c 'poison of %Y' caches/poison; else mkdir caches; touch -d @1000000 caches/poison; fi; cat kept/file; echo forged > kept/file";
const GATES = `version: 1
profiles:
  default:
    modes:
      fast: &steps
        - { name: build, cmd: [sh, -c, "${STEP}"] }
        - { name: scan, cmd: [sh, -c, "${STEP}; ! grep fail src/a.txt"] }
      full: *steps
      merge: *steps
`;

const WITH_CACHES = `${POLICY}execution: { caches: [caches, kept] }\n`;
const FILES = {
  "slipway/gates.yaml": GATES,
  "slipway/policy.yaml": WITH_CACHES,
  ".gitignore": "caches/\n",
  "kept/file": "as committed\n",
};

const NOTHING = "as committed\n";
/** With its original time: build tools compare it with that of the source. */
const POISON = `poison of 1000000\n${NOTHING}`;

let scratch: ScratchKernel;
const patch = (from: string, to: string) =>
  scratch.kernel.features.applyPatch(callAs(), { ...LETTERS, unified_diff: replaceLine("src/a.txt", from, to) });

/** The output of each step of a gate. */
async function found(mode = "fast", feature_id = "letters"): Promise<string[]> {
  const { steps } = await scratch.kernel.features.runGates(callAs(), { feature_id, mode });
  return steps.map(({ log_path }) => readFileSync(log_path, "utf8"));
}

describe.each([
  ["that writes to layers", sandboxForGates],
  ["that writes to the worktree", async () => unsandboxed({ reason: "test", by: "test" })],
])("the caches of a gate %s", (_how, open) => {
  const start = async (changed: Readonly<Record<string, string>> = {}) => {
    scratch = await openScratchKernel({ ...FILES, ...changed }, { sandbox: await open() });
    await lettersOn(scratch).planned();
  };
  beforeEach(() => start());
  afterEach(() => scratch.close());

  test("are restored to the step that wrote them, also on the next tree, without tracked files", async () => {
    expect(await found()).toEqual([NOTHING, NOTHING]);
    await patch("one", "two");
    expect(await found()).toEqual([POISON, POISON]);
    expect(await found()).toEqual([POISON, POISON]);
    expect(existsSync(join(scratch.root, ".worktrees/letters/caches"))).toBe(false);
  });

  test("of one tree reach no gate that a merge relies on, no other mode, no other feature and not the base", async () => {
    expect(await found()).toEqual([NOTHING, NOTHING]);
    await patch("one", "two");
    expect(await found("full")).toEqual([NOTHING, NOTHING]);
    expect(await found("merge")).toEqual([NOTHING, NOTHING]);
    await lettersOn(scratch).init("other");
    expect(await found("fast", "other")).toEqual([NOTHING, NOTHING]);
    const heard: string[] = [];
    const onStep = (_trial: unknown, event: StepEvent) => void (event.kind === "output" && heard.push(event.text));
    await scratch.kernel.trials.onBase(callAs(), { modes: ["fast"] }, { onStep });
    expect(heard.join("")).toBe(NOTHING.repeat(2));
  });

  test("do not exist if a merge relies on the fast mode", async () => {
    await scratch.close();
    await start({ "slipway/policy.yaml": WITH_CACHES.replace("required_merge_mode: full", "required_merge_mode: fast") });
    expect(await found()).toEqual([NOTHING, NOTHING]);
    expect(await found()).toEqual([NOTHING, NOTHING]);
  });

  test("belong to one step, and a failed step starts without its cache", async () => {
    expect(await found()).toEqual([NOTHING, NOTHING]);
    await patch("one", "fail");
    expect(await found()).toEqual([POISON, expect.stringContaining(POISON)]);
    await patch("fail", "two");
    expect(await found()).toEqual([POISON, NOTHING]);
  });

  test("are removed with the feature's worktree", async () => {
    await found();
    const folder = join(scratch.kernel.repository.ungated.caches, "letters");
    expect(existsSync(folder)).toBe(true);
    await scratch.kernel.features.delete(callAs(), { ...LETTERS, force: true });
    expect(existsSync(folder)).toBe(false);
  });
});

describe("a folder that a step wrote", () => {
  const worlds = () => {
    const [folder, written] = [join(scratchFolder(), "caches"), scratchFolder()];
    return { folder, written, paths: ["a/target"] };
  };

  test("is not kept if it is a link, or larger than the limit", async () => {
    const { folder, written, paths } = worlds();
    const caches = openStepCaches({ folder, paths }, new Set(), 10_000);
    const outside = scratchFolder();
    writeFileSync(join(outside, "file"), "outside");
    mkdirSync(join(written, "a"));
    symlinkSync(outside, join(written, "a/target"));
    await caches.keep("build", written);
    expect(readdirSync(folder)).toEqual([]);

    const large = scratchFolder();
    mkdirSync(join(large, "a/target"), { recursive: true });
    writeFileSync(join(large, "a/target/x"), Buffer.alloc(20_000));
    await caches.keep("build", large);
    expect(readdirSync(folder)).toEqual([]);
    expect(readFileSync(join(outside, "file"), "utf8")).toBe("outside");
  });

  test("is replaced by a product of an earlier step at the same path", async () => {
    const { folder, written, paths } = worlds();
    const caches = openStepCaches({ folder, paths }, new Set());
    mkdirSync(join(written, "a/target"), { recursive: true });
    writeFileSync(join(written, "a/target/x"), "cached");
    await caches.keep("build", written);
    const next = scratchFolder();
    mkdirSync(join(next, "a/target"), { recursive: true });
    writeFileSync(join(next, "a/target/x"), "handed on");
    await caches.layOut("build", next);
    expect(readFileSync(join(next, "a/target/x"), "utf8")).toBe("handed on");
    expect(readdirSync(folder)).toEqual([]);
  });
});
