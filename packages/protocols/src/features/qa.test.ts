import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WITHOUT_TRIAL } from "@slipway/kernel/change/testing/scratch-kernel";
import type { Pack } from "@slipway/agents/pack";
import { afterEach, describe, expect, test } from "vitest";
import {
  newFile,
  NOTHING_MISSING,
  openWorkshop,
  patchOf,
  planFor,
  section,
  toldIn,
  verdicts,
  withVerdicts,
  type Script,
  type Workshop,
} from "./testing/workshop.ts";

const HAPPY: Script = { planner: [planFor()], builder: [patchOf("src/a.txt", "one", "two")], qa: [NOTHING_MISSING] };

let services: Workshop;
afterEach(() => services.close());

async function drive(script: Script) {
  services = await openWorkshop(script);
  const runId = await services.start();
  await services.drive(runId);
  return runId;
}
const index = async () => (await services.kernel.features.qaIndex("letters")).index;
const shown = (turn: number) =>
  JSON.parse(section(services.packs("qa")[turn], "open entries of the test index") || "null") as {
    pending: { path: string; hunks: unknown[] }[];
  } | null;
const results = (turn: number) => toldIn(services.packs("qa")[turn]);
/** The ids of the sessions that gave verdicts. */
const sessions = async () =>
  (await services.operations())
    .filter(({ name, actor }) => name === "qa.test_index_update" && actor.type === "qa")
    .map(({ actor }) => actor.id.split("@")[0]);

/** A new version of a file in which every third line differs from the base, each as a separate hunk. */
function manyHunks(count: number) {
  const lines = Array.from({ length: count * 3 }, (_, line) => `line ${line}`);
  const body = lines.map((line, number) => (number % 3 === 0 ? `-${line}\n+${line} changed` : ` ${line}`)).join("\n");
  const unified_diff = `diff --git a/src/long.txt b/src/long.txt\n--- a/src/long.txt\n+++ b/src/long.txt\n@@ -1,${lines.length} +1,${lines.length} @@\n${body}\n`;
  return { text: `${lines.join("\n")}\n`, patch: { type: "PATCH", summary: "many", unified_diff } };
}

describe("[FEA-133] a batch is done when its verdicts are recorded", () => {
  test("a small feature takes one batch in one session, which is closed with every entry passed on evidence", async () => {
    const runId = await drive({ ...HAPPY, qa: [withVerdicts(newFile("src/new.txt", "three"))] });
    expect(await sessions()).toEqual(["qa-1"]);
    const { items } = await index();
    expect(items.map(({ path, status }) => [path, status])).toEqual([
      ["src/a.txt", "passed"],
      ["src/new.txt", "passed"],
    ]);
    // The files that QA wrote passed with the gates that ran them.
    expect(items[1]?.evidence_refs).toEqual([`${runId}/feature:letters/gates:full:qa-1`]);
    const { state } = await services.kernel.features.getState("letters");
    expect(state.cluster.qa_session_id).toBe("unknown");
  });

  test("a verdict on an entry that is not in the index refuses the whole batch", async () => {
    const stray = {
      type: "NOTE",
      text: "fine",
      updates: [{ path: "src/b.txt", hunks: [{ start_line: 1, end_line: 1 }], status: "passed" }],
    };
    await drive({ ...HAPPY, qa: [stray, NOTHING_MISSING] });
    expect(results(1)).toContain("schema_validation_failed: The QA index was not changed. updates[0] (src/b.txt)");
  });

  test("an entry with a failed verdict keeps the feature from being ready until it is fixed or waived", async () => {
    const failing = (pack: Pack) => ({ type: "NOTE", text: "wrong", updates: verdicts(pack, "failed") });
    const waiving = (pack: Pack) => ({ type: "NOTE", text: "was meant so", updates: verdicts(pack, "waived") });
    await drive({ ...HAPPY, qa: [failing, waiving] });
    expect(results(1)).toContain("These entries of the test index are neither passed nor waived: src/a.txt (1 to 1).");
    expect((await index()).items.map(({ status }) => status)).toEqual(["waived"]);
    expect((await services.open())[0]?.kind).toBe("approval");
  });
});

describe("[FEA-134] the next QA worker is a new session", () => {
  test("a large change takes several sessions; each gets the remaining entries and no text of the others", async () => {
    const { text, patch } = manyHunks(50);
    services = await openWorkshop(
      {
        planner: [planFor("letters", { files: { create: [], modify: ["src/long.txt"], delete: [] } })],
        builder: [patch],
        qa: [(pack: Pack) => ({ type: "NOTE", text: "the first session's secret", updates: verdicts(pack, "passed") }), NOTHING_MISSING],
      },
      { files: { "src/long.txt": text } },
    );
    await services.drive(await services.start());
    expect(services.asked.filter(({ role }) => role === "qa").map(({ attempt }) => attempt)).toEqual(["1", "1-2"]);
    expect(await sessions()).toEqual(["qa-1", "qa-1-2"]);
    const counts = [0, 1].map((turn) => shown(turn)?.pending.flatMap(({ hunks }) => hunks).length);
    expect(counts).toEqual([40, 10]);
    expect(JSON.stringify(services.packs("qa")[1]?.sections)).not.toContain("the first session's secret");
    expect(new Set((await index()).items.map(({ status }) => status))).toEqual(new Set(["passed"]));
    expect((await services.open())[0]?.kind).toBe("approval");
  });

  test("one that fixes its own tests judges them again", async () => {
    await drive({ ...HAPPY, qa: [withVerdicts(newFile("src/new.txt", "BUG")), withVerdicts(patchOf("src/new.txt", "BUG", "fine"))] });
    expect(results(1)).toContain("src/new.txt:1:BUG");
    expect(shown(1)?.pending.map(({ path }) => path)).toEqual(["src/new.txt"]);
    expect((await services.open())[0]?.kind).toBe("approval");
  });

  test("one without open entries (a gate failed after all were judged) need not give verdicts", async () => {
    const runs = join(mkdtempSync(join(tmpdir(), "slipway-runs-")), "runs");
    const check = `echo run >> ${runs}\nif [ $(wc -l < ${runs}) -eq 2 ]; then exit 1; fi\n`;
    services = await openWorkshop(
      { ...HAPPY, qa: [NOTHING_MISSING, { type: "NOTE", text: "the gate was at fault" }] },
      { files: { "check.sh": check }, policy: WITHOUT_TRIAL },
    );
    await services.drive(await services.start());
    expect(results(1)).toContain("gate_failed");
    expect(shown(1)?.pending).toEqual([]);
    expect((await services.open())[0]?.kind).toBe("approval");
  });
});
