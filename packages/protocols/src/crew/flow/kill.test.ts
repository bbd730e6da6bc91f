import { afterAll, describe, expect, test } from "vitest";
import { ARCHITECTURE, architecture } from "./testing/artifacts.ts";
import { openBench, type CrewBench } from "./testing/bench.ts";
import { TEAM, YES } from "./testing/team.ts";

let bench: CrewBench;
afterAll(() => bench.close());

const better = architecture(["signal: risk: none: one file"], `${ARCHITECTURE}\n\nSaid how.\n`);

describe("a session whose process dies again and again", () => {
  test("[CRW-045][CRW-106][CRW-065] goes on where it was: every role is called once, every step is logged once", async () => {
    const people = {
      ...YES,
      crew_approve_design: [{ decision: "changes-requested", comment: "say how", agent: "Architect" }, { decision: "approved" }],
    };
    bench = await openBench({ ...TEAM, architect: [architecture(), better] }, people, { killEvery: 9 });
    const result = await bench.result();
    expect(result.status).toBe("merged");
    expect(bench.drives()).toBeGreaterThan(10);
    const roles = bench.roles();
    expect(bench.sent).toHaveLength(roles.length);
    expect(roles.filter((role) => role === "Architect meta")).toHaveLength(2);
    expect(bench.file("approve-design-history.jsonl").trimEnd().split("\n")).toHaveLength(1);
    expect(bench.status()).toMatchObject({ current_state: "DONE", gate_tracking: { APPROVE_DESIGN: { correction_status: "completed" } } });
  });
});
