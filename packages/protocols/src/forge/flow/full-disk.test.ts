import type { FeatureResult } from "../../change/feature-run.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CAN_FILL_A_DISK, fillDisk } from "../../testing/full-disk.ts";
import { openForgeScene, type ForgeScene } from "../testing/forge-scene.ts";

if (!CAN_FILL_A_DISK) console.log("skipped: decisions on a full disk (file systems can be mounted as root only)");

describe.skipIf(!CAN_FILL_A_DISK)("a decision that does not fit on the disk", () => {
  let scene: ForgeScene;
  let result: FeatureResult;
  let clear: (() => void) | null = null;
  const stops: unknown[] = [];
  const asked: (string | undefined)[] = [];

  const fill = () => void (clear = fillDisk(scene.place()));
  const makeRoom = () => {
    clear?.();
    clear = null;
  };

  async function answerOnly(decision: string): Promise<void> {
    expect(await scene.drive()).toMatchObject({ status: "waiting" });
    const [question, ...others] = await scene.open();
    if (question === undefined || others.length > 0) throw new Error(`${others.length + 1} questions are open`);
    asked.push(question.title);
    await scene.answer(question, { decision });
  }

  /** Drives the run until it stops for want of room, and makes some. */
  async function stop(): Promise<void> {
    stops.push(await scene.drive().catch((error: unknown) => error));
    makeRoom();
  }

  beforeAll(async () => {
    // The knowledge is recorded just before decisions.yaml is written.
    const fillOnce = (event: string) => {
      if (stops.length === 1 && clear === null && /^step \S* knowledge$/.test(event)) fill();
      return false;
    };
    scene = await openForgeScene({ mode: "interactive", leaveAt: fillOnce });
    try {
      await answerOnly("proceed");
      fill();
      await stop();
      await answerOnly("approve");
      await stop();
      result = await scene.finish();
    } finally {
      makeRoom();
    }
  }, 120_000);
  afterAll(() => scene.close());

  test("[FOR-119][FOR-133] stops the run with the error and its file, and the run goes on once there is room", () => {
    const file = (name: string) => expect.stringMatching(new RegExp(`/${name}$`));
    expect(stops).toMatchObject([
      { code: "disk_full", details: { file: file("approval_log.yaml") } },
      { code: "disk_full", details: { file: file("decisions.yaml") } },
    ]);
    expect(result.status).toBe("merged");
  });

  test("[FOR-119] at a gate is asked once and logged once", () => {
    expect(asked).toEqual([expect.stringContaining("step 1a"), expect.stringContaining("step 4a")]);
    expect(scene.file("approval_log.yaml").match(/selected_option: \S+/g)).toEqual([
      "selected_option: proceed",
      "selected_option: approve",
    ]);
  });

  test("of an agent is in decisions.yaml once, and nobody is dispatched twice for it", () => {
    expect(scene.file("decisions.yaml").match(/^ {2}- id: \S+/gm)).toEqual(["  - id: D-1"]);
    expect(scene.dispatched()).toHaveLength(new Set(scene.dispatched()).size);
  });
});
