import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ApprovedFacts } from "@slipway/kernel/change/testing/scratch-kernel";
import { openRunFiles } from "@slipway/kernel/record/run-files/run-files";
import type { InboxQuestion } from "@slipway/kernel/record/questions/question";
import { afterEach, describe, expect, test } from "vitest";
import { CAN_FILL_A_DISK, fillDisk } from "../../testing/full-disk.ts";
import { file, leanIntake, LETTERS_TWO, own, OWN, qa, RUN, written } from "./testing/artifacts.ts";
import { openBench, type BenchOptions, type CrewBench, type Models, type People } from "./testing/bench.ts";
import { builds, reviews, TEAM, YES } from "./testing/team.ts";

let bench: CrewBench;
afterEach(() => bench.close());

const LEAN: Models = { "spec-agent": [leanIntake()], coder: [builds()], reviewer: [reviews], qa: [qa()] };
const lean = async (models: Models = {}, people: People = {}, options: BenchOptions = {}) => {
  bench = await openBench({ ...LEAN, ...models }, people, { mode: "lean", ...options });
  return bench;
};
const approve = (question: InboxQuestion) => ({ decision: "approve", token: bench.scratch.sign(question.context as ApprovedFacts) });

describe("the approval", () => {
  test("[CRW-083] that asks for changes sends the session to FIX_BUILD with the wish; DONE comes after the merge", async () => {
    const states: string[] = [];
    const watch = (question: InboxQuestion) => {
      states.push(bench.status().current_state);
      return states.length === 1 ? { decision: "changes", comment: "Say three." } : approve(question);
    };
    const three = builds([file("src/b.txt", "three\n")]);
    await lean({ coder: [builds(), three] }, { approval: [watch, watch] }, { approval: true });
    expect((await bench.result()).status).toBe("merged");
    expect(states).toEqual(["INTEGRATE", "INTEGRATE"]);
    expect(bench.states()).toEqual(["INTAKE_LEAN", "IMPLEMENT_LOOP", "INTEGRATE", "FIX_BUILD", "INTEGRATE", "DONE"]);
    expect(bench.last("coder").prompt).toContain("Repair: Say three.");
    expect(bench.status().retry_counts).toEqual({});
    expect(bench.scratch.git("show", "main:src/b.txt")).toBe("three\n");
  });

  test("[CRW-039] that is a rejection ends the session as BLOCKED", async () => {
    await lean({}, { approval: [{ decision: "reject", comment: "not wanted" }] }, { approval: true });
    const result = await bench.result();
    expect(result.status).toBe("failed");
    expect(bench.status()).toMatchObject({ current_state: "BLOCKED", blocker: "change_rejected" });
    expect(result.words?.join("\n")).toContain("is blocked: change_rejected");
    expect(bench.asked.map(({ kind }) => kind)).toEqual(["approval"]);
  });
});

/** How the folder of a session stops taking files, and takes them again. Real file systems: they need root. */
const OBSTACLES: Readonly<Record<string, (folder: string) => () => void>> = {
  "that has a folder in its place": (folder) => {
    const place = join(folder, "status.json");
    rmSync(place);
    mkdirSync(join(place, "in-the-way"), { recursive: true });
    return () => rmSync(place, { recursive: true });
  },
  "on a full disk": fillDisk,
  "in a read-only folder": (folder) => {
    execFileSync("mount", ["--bind", folder, folder]);
    execFileSync("mount", ["-o", "remount,ro,bind", folder]);
    return () => void execFileSync("umount", ["--lazy", folder]);
  },
};

describe.each(Object.entries(OBSTACLES))("a decision %s", (what, obstruct) => {
  const needsRoot = what !== "that has a folder in its place";
  if (needsRoot && !CAN_FILL_A_DISK) console.log(`skipped: a decision ${what} (file systems can be mounted as root only)`);
  test.skipIf(needsRoot && !CAN_FILL_A_DISK)(
    "[CRW-069][CRW-053][CRW-070] blocks with the error and the unsaved answer, again if resumed too early, and the session goes on once it can be written",
    async () => {
      let clear = () => {};
      const breakIt = () => {
        clear = obstruct(join(bench.scratch.root, OWN));
        return { decision: "approved" };
      };
      bench = await openBench(TEAM, { ...YES, crew_approve_design: [breakIt] });
      try {
        await bench.run();
        await bench.answer("crew_blocked", { decision: "resume" });
        await bench.run();
      } finally {
        clear();
      }
      expect(bench.asked.map(({ kind }) => kind)).toEqual(["crew_approve_design", "crew_blocked", "crew_blocked"]);
      const [, blocked] = bench.asked;
      expect(blocked?.kind).toBe("crew_blocked");
      expect(blocked?.body).toContain("persistence_failure: status.json could not be written");
      expect(blocked?.body).toContain("UD-APPROVE-DESIGN: approved");
      await bench.answer("crew_blocked", { decision: "resume" });
      expect((await bench.result()).status).toBe("merged");
      expect(bench.asked.filter(({ kind }) => kind === "crew_approve_design")).toHaveLength(1);
    },
  );
});

describe("a check before a dispatch", () => {
  test("[CRW-031] that finds an invalid artifact blocks in the role's name, and nobody is called", async () => {
    const spoil = async (request: Parameters<ReturnType<typeof builds>>[0]) => {
      const files = openRunFiles(bench.scratch.records, RUN);
      await files.write({ actor: { type: "system", id: "test" }, operationId: "spoil" }, { "spec.md": "# Nothing\n" });
      return builds()(request);
    };
    await lean({ coder: [spoil] });
    await bench.run();
    expect(bench.asked.at(-1)?.body).toContain("Reviewer was not dispatched for T-001: spec.md: the section Goals is missing");
    expect(bench.sent.map(({ role }) => role)).not.toContain("reviewer");
  });

  test("[CRW-075] that finds no command for the tests a task needs blocks", async () => {
    const manual = JSON.stringify({ acceptance_criteria: [{ id: "AC-001", description: "two", verify: ["manual: look"] }] });
    const intake = leanIntake({ acceptance_checks: ["manual: look"] });
    const files = intake.files.map((one) => (one.path.endsWith("acceptance.json") ? own("acceptance.json", manual) : one));
    await lean({ "spec-agent": [written(files)] });
    await bench.run();
    expect(bench.asked.at(-1)?.body).toContain("no acceptance check is a command");
    expect(bench.sent.map(({ role }) => role)).not.toContain("qa");
  });
});

describe("session_changed_files", () => {
  test("[CRW-012] are the same when they are computed again after a resume", async () => {
    const prompts: string[] = [];
    const fails = ({ prompt }: { readonly prompt: string }) => {
      prompts.push(/"session_changed_files": \[[^\]]*\]/.exec(prompt)?.[0] ?? "");
      return prompts.length <= 3 ? "no json" : reviews({ prompt } as Parameters<typeof reviews>[0]);
    };
    await lean({ reviewer: [fails], coder: [builds(LETTERS_TWO)] }, { crew_blocked: [{ decision: "resume" }] });
    expect((await bench.result()).status).toBe("merged");
    expect(new Set(prompts).size).toBe(1);
    expect(prompts[0]).toContain("src/a.txt");
  });
});
