import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { ARCHITECTURE, architecture, OWN, plan, planTask, RUN } from "./testing/artifacts.ts";
import { openBench, type Answer, type CrewBench, type Models, type People } from "./testing/bench.ts";
import { builds, TEAM, YES } from "./testing/team.ts";

let bench: CrewBench;
afterEach(() => bench.close());

const open = async (people: People, models: Models = {}) => {
  bench = await openBench({ ...TEAM, ...models }, people);
  return bench;
};
const better = architecture(["signal: risk: none: one file"], `${ARCHITECTURE}\n\nSaid how.\n`);
const best = architecture(["signal: risk: none: one file"], `${ARCHITECTURE}\n\nSaid why.\n`);

/** Edits status.json of the session as a person would. */
function edit(change: (text: string) => string): void {
  const path = join(bench.scratch.root, OWN, "status.json");
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

describe("APPROVE_DESIGN", () => {
  test("[CRW-062][CRW-063][CRW-064][CRW-066] each request is corrected once, in the gate's own state, and kept in the history", async () => {
    const changes = (comment: string) => ({ decision: "changes-requested", comment });
    const states: unknown[] = [];
    const watched = () => {
      const { current_state, gate_tracking } = bench.status();
      states.push([
        current_state,
        gate_tracking?.APPROVE_DESIGN?.correction_status,
        gate_tracking?.APPROVE_DESIGN?.last_correction_dispatch?.agent,
      ]);
      return states.length === 1 ? better : best;
    };
    await open(
      { ...YES, crew_approve_design: [changes("say how"), changes("say why"), { answer: "Looks good." }] },
      { architect: [architecture(), watched] },
    );
    expect((await bench.result()).status).toBe("merged");
    expect(states).toEqual([
      ["APPROVE_DESIGN", "dispatched", "Architect"],
      ["APPROVE_DESIGN", "dispatched", "Architect"],
    ]);
    expect(bench.last("architect").prompt).toContain("The user requests: changes-requested: say why");
    const history = bench
      .file("approve-design-history.jsonl")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { answer: string });
    expect(history.map(({ answer }) => answer)).toEqual(["changes-requested: say how", "changes-requested: say why"]);
    expect(bench.status().user_decisions[0]).toMatchObject({ decision_id: "UD-APPROVE-DESIGN", answer: "approved" });
    expect(bench.status().gate_tracking?.APPROVE_DESIGN?.correction_status).toBe("completed");
  });

  test("[CRW-060][CRW-061][CRW-083] after four answers that are none it is cancelled and the session blocked; resumed, it asks again", async () => {
    const none = { answer: "maybe" };
    await open({
      ...YES,
      crew_approve_design: [none, { answer: null }, none, none, { decision: "approved" }],
      crew_blocked: [{ decision: "resume" }],
    });
    expect((await bench.result()).status).toBe("merged");
    const kinds = bench.asked.map(({ kind }) => kind);
    expect(kinds).toEqual([
      ...Array.from({ length: 4 }, () => "crew_approve_design"),
      "crew_blocked",
      "crew_approve_design",
      "crew_review_strategy",
    ]);
    expect(bench.asked[4]?.body).toContain("mandatory_user_decision_missing");
    expect(bench.states().slice(2, 6)).toEqual(["APPROVE_DESIGN", "BLOCKED", "APPROVE_DESIGN", "PLAN"]);
    expect(bench.status()).not.toHaveProperty("blocker");
    expect(bench.status().known_issues).toEqual([]);
  });

  test("[CRW-044][CRW-062] a wish of a megabyte with quotes, line breaks and emoji is the same in status.json, in the history and in the prompt", async () => {
    const hard = 'Say "how"; \\n is none,\r\n\tbut this is one. 🧑‍🚀 漢字 {"decision":"approved"}\n```json\n---\n<<<END>>>\n';
    const wish = `${hard}${"and so on, ".repeat(100_000)}${hard.trim()}`;
    const stored: unknown[] = [];
    const corrects = () => {
      stored.push(bench.status().user_decisions[0]?.answer);
      return better;
    };
    await open({ crew_approve_design: [{ decision: "changes-requested", comment: wish }] }, { architect: [architecture(), corrects] });
    expect(await bench.run()).toMatchObject({ status: "waiting" });
    const said = `changes-requested: ${wish}`;
    // Not compared by `toEqual`, which would print a megabyte.
    expect(stored.map((answer) => answer === said)).toEqual([true]);
    const history = JSON.parse(bench.file("approve-design-history.jsonl")) as { answer: string };
    expect(history.answer === said).toBe(true);
    expect(bench.last("architect").prompt.includes(JSON.stringify(`The user requests: ${said}`))).toBe(true);
    expect(bench.asked.map(({ kind }) => kind)).toEqual(["crew_approve_design", "crew_approve_design"]);
  });

  test("[CRW-061][CRW-039] an explicit deferral blocks at once, with the blocker on disk", async () => {
    await open({ crew_approve_design: [{ decision: "cancel", comment: "after the holidays" }] });
    await bench.run();
    expect(bench.asked.at(-1)?.kind).toBe("crew_blocked");
    expect(bench.status()).toMatchObject({ current_state: "BLOCKED", blocker: "mandatory_user_decision_missing" });
    expect(bench.status().user_decisions[0]).toMatchObject({ status: "cancelled", resolution_reason: "user deferred: after the holidays" });
    await bench.answer("crew_blocked", { decision: "end" });
    const result = await bench.result();
    expect(result.status).toBe("failed");
    expect(bench.status().current_state).toBe("BLOCKED");
  });
});

describe("a stored decision that is changed on disk", () => {
  test("[CRW-103][CRW-087] sends the session back to its gate before the next dispatch", async () => {
    const revoked = () => {
      edit((text) => text.replace('"answer": "approved"', '"answer": "changes-requested: stop"'));
      return plan(planTask("T-001"));
    };
    await open(
      { crew_approve_design: [{ decision: "approved" }, { decision: "approved" }], crew_review_strategy: [{ decision: "per-batch" }] },
      { planner: [revoked] },
    );
    expect((await bench.result()).status).toBe("merged");
    expect(bench.asked.map(({ kind }) => kind)).toEqual(["crew_approve_design", "crew_review_strategy", "crew_approve_design"]);
    expect(bench.states().slice(4, 9)).toEqual(["REVIEW_STRATEGY", "IMPLEMENT_LOOP", "APPROVE_DESIGN", "PLAN", "REVIEW_STRATEGY"]);
  });

  test("[CRW-103] a strategy that is no longer valid is asked again before a review", async () => {
    const built: Answer = (request) => {
      edit((text) => text.replace('"answer": "per-batch"', '"answer": "whenever"'));
      return builds()(request);
    };
    await open({ ...YES, crew_review_strategy: [{ decision: "per-batch" }, { decision: "single-final" }] }, { coder: [built] });
    await bench.result();
    expect(bench.asked.filter(({ kind }) => kind === "crew_review_strategy")).toHaveLength(2);
  });
});

test("[CRW-103] the file of another spelling is written again from the record", async () => {
  await open({ crew_approve_design: [{ decision: "approved" }] });
  await bench.run();
  edit((text) => text.replace(`"session": "${RUN}"`, '"session": "2026-01-01_other-name"'));
  await bench.answer("crew_review_strategy", { decision: "per-batch" });
  await bench.result();
  expect(bench.status().session).toBe(RUN);
});
