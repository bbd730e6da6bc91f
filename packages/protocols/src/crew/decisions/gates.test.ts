import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AT } from "../session/testing/samples.ts";
import { CREW_STATES } from "../states/states.ts";
import { openDecisions, openGate, resolveDecision } from "./change-decisions.ts";
import {
  CORRECTION_STATUSES,
  correctionStatus,
  correctionStep,
  gateTrackingSchema,
  moveCorrection,
  type GateTracking,
} from "./correction.ts";
import { APPROVE_DESIGN_ID, findDecision, GATE_DECISIONS, REVIEW_STRATEGY_ID, type UserDecision } from "./decision.ts";
import { asksForChanges, changesRequested, gateAnswer, passesGate, strategyOf } from "./gate-answers.ts";
import { MAX_ASKS, takeGateAnswer } from "./gate-attempts.ts";
import { historyEntries, withRequest } from "./history.ts";
import { reopenCancelledGate, resumeApproval, resumeStrategy, returnState } from "./resume.ts";

const LATER = "2026-11-18T11:00:00.000Z";
const open = (gate: "APPROVE_DESIGN" | "REVIEW_STRATEGY") => openGate([], gate, "?", AT);
const answer = (gate: "APPROVE_DESIGN" | "REVIEW_STRATEGY", text: string) =>
  resolveDecision(open(gate), GATE_DECISIONS[gate], { status: "answered", answer: text }, LATER);

describe("answers", () => {
  test("[CRW-062] approval and its synonyms, changes with a text, and nothing else", () => {
    for (const said of ["approved", " Approved. ", "yes", "Looks good!", "LGTM", "go ahead"])
      expect([said, gateAnswer("APPROVE_DESIGN", said)]).toEqual([said, "approved"]);
    expect(gateAnswer("APPROVE_DESIGN", "approved: ship it")).toBe("approved: ship it");
    expect(gateAnswer("APPROVE_DESIGN", "changes-requested: rename it")).toBe("changes-requested: rename it");
    expect(gateAnswer("APPROVE_DESIGN", "Changes: rename it")).toBe("changes-requested: rename it");
    expect(changesRequested(" rename it ")).toBe("changes-requested: rename it");
    for (const said of ["", "maybe", "looks good but rename it", "not approved", "per-batch", "changes"])
      expect([said, gateAnswer("APPROVE_DESIGN", said)]).toEqual([said, null]);
  });

  test.each([
    ["approved", "approve, approve it, I approve, y, ok, okay, looks good to me, go, ship it, fine, accepted, accept, +1"],
    ["per-batch", "per_batch, perbatch, batch, per task, per-task, each task, after each batch, every task"],
    ["single-final", "single final, single_final, singlefinal, single, final, once at the end, single review at the end, one final review"],
  ])("a person who answers in their own words is not asked again: %s", (stored, words) => {
    const gate = stored === "approved" ? "APPROVE_DESIGN" : "REVIEW_STRATEGY";
    for (const said of words.split(", ")) expect([said, gateAnswer(gate, said)]).toEqual([said, stored]);
  });

  test("[CRW-067] only the two canonical strategies are stored", () => {
    expect(
      ["per-batch", "Per batch", "after each task", "single-final", "at the end", "once"].map((said) =>
        gateAnswer("REVIEW_STRATEGY", said),
      ),
    ).toEqual(["per-batch", "per-batch", "per-batch", "single-final", "single-final", "single-final"]);
    fc.assert(
      fc.property(fc.string(), (said) => {
        expect([null, "per-batch", "single-final"]).toContain(gateAnswer("REVIEW_STRATEGY", said));
      }),
    );
    for (const said of ["approved", "both", "per-batch-final"]) expect(gateAnswer("REVIEW_STRATEGY", said)).toBeNull();
  });

  test("[CRW-062] only an answer that begins with approved passes", () => {
    const passes = (decisions: readonly UserDecision[]) => passesGate("APPROVE_DESIGN", decisions);
    expect(passes(answer("APPROVE_DESIGN", "approved"))).toBe(true);
    expect([passes([]), passes(open("APPROVE_DESIGN")), passes(answer("APPROVE_DESIGN", "changes-requested: x"))]).toEqual([
      false,
      false,
      false,
    ]);
    expect(asksForChanges(findDecision(answer("APPROVE_DESIGN", "changes-requested: x"), APPROVE_DESIGN_ID))).toBe(true);
    expect(passesGate("REVIEW_STRATEGY", answer("REVIEW_STRATEGY", "batch"))).toBe(false);
    expect(strategyOf(findDecision(answer("REVIEW_STRATEGY", "single-final"), REVIEW_STRATEGY_ID))).toBe("single-final");
  });
});

describe("asking a gate again", () => {
  const take = (said: string | null, asks: number, gate: "APPROVE_DESIGN" | "REVIEW_STRATEGY" = "REVIEW_STRATEGY") =>
    takeGateAnswer(gate, open(gate), { said, asks, at: LATER });

  test("[CRW-060][CRW-061] a missing or invalid answer is asked 3 times again, then blocks as cancelled", () => {
    expect(MAX_ASKS).toBe(4);
    for (const said of [null, "both"]) {
      for (const asks of [1, 2, 3]) expect(take(said, asks)).toEqual({ kind: "ask_again", asks: asks + 1 });
      const last = take(said, 4);
      expect(last.kind).toBe("blocked");
      expect("decisions" in last && last.decisions[0]).toMatchObject({
        status: "cancelled",
        resolution_reason: "no valid answer after 4 asks",
      });
    }
  });

  test("[CRW-061] an explicit deferral blocks at once", () => {
    const step = take("defer: ask the team", 1);
    expect(step.kind).toBe("blocked");
    expect("decisions" in step && step.decisions[0]).toMatchObject({
      status: "cancelled",
      resolution_reason: "user deferred: ask the team",
    });
  });

  test("[CRW-060] a valid answer counts at any ask, in its stored form", () => {
    for (const asks of [1, 4])
      expect(take("at the end", asks)).toMatchObject({ kind: "passed", decisions: [{ answer: "single-final", status: "answered" }] });
    expect(take("no: rename it", 2, "APPROVE_DESIGN")).toMatchObject({
      kind: "changes_requested",
      decisions: [{ answer: "changes-requested: rename it" }],
    });
  });
});

describe("approve-design-history.jsonl", () => {
  const request = (text: string, at = LATER) =>
    findDecision(
      resolveDecision(open("APPROVE_DESIGN"), APPROVE_DESIGN_ID, { status: "answered", answer: `changes-requested: ${text}` }, at),
      APPROVE_DESIGN_ID,
    );

  test("[CRW-063] each request is one line of four fields, and a repetition adds none", () => {
    const once = withRequest("", request('a "b"\nc'));
    expect(once.split("\n")).toHaveLength(2);
    expect(historyEntries(once)).toEqual([
      { at: LATER, decision_id: APPROVE_DESIGN_ID, answer: 'changes-requested: a "b"\nc', state_context: "APPROVE_DESIGN" },
    ]);
    expect(withRequest(once, request('a "b"\nc'))).toBe(once);
  });

  test("[CRW-063] earlier lines never change, and the same words at another time are another request", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 }), { maxLength: 5 }), (texts) => {
        const times = texts.map((_, index) => `2026-11-18T11:00:0${index}.000Z`);
        const histories = texts.reduce<string[]>(
          (all, text, index) => [...all, withRequest(all.at(-1) ?? "", request(text, times[index]))],
          [""],
        );
        histories.slice(1).forEach((history, index) => expect(history.startsWith(histories[index]!)).toBe(true));
        expect(historyEntries(histories.at(-1)!)).toHaveLength(texts.length);
      }),
    );
  });

  test("[CRW-063] after a line that was cut off, the request is appended on its own line", () => {
    expect(historyEntries(withRequest('{"at": "2026', request("x")))).toHaveLength(1);
  });

  test("approval and open questions add nothing", () => {
    expect(withRequest("", findDecision(answer("APPROVE_DESIGN", "approved"), APPROVE_DESIGN_ID))).toBe("");
    expect(withRequest("", open("APPROVE_DESIGN")[0] ?? null)).toBe("");
    expect(withRequest("", null)).toBe("");
  });
});

describe("corrections", () => {
  const dispatch = { agent: "Architect", at: LATER } as const;
  const walk = (...steps: ("queued" | "dispatched" | "completed")[]) =>
    steps.reduce<GateTracking | undefined>(
      (tracking, to) => moveCorrection(tracking, to, to === "dispatched" ? dispatch : undefined),
      undefined,
    );

  test("[CRW-040] anything absent is `none`", () => {
    for (const tracking of [
      undefined,
      {},
      { APPROVE_DESIGN: null },
      { APPROVE_DESIGN: {} },
      { APPROVE_DESIGN: { correction_status: null } },
    ])
      expect(correctionStatus(tracking)).toBe("none");
  });

  test("[CRW-064] queued, dispatched with its record, completed, queued again", () => {
    const done = walk("queued", "dispatched", "completed");
    expect(done).toEqual({
      APPROVE_DESIGN: { correction_status: "completed", last_correction_dispatch: { agent: "Architect", task_id: "meta", at: LATER } },
    });
    expect(gateTrackingSchema.safeParse(walk("queued")).success).toBe(true);
    expect(correctionStatus(moveCorrection(done, "queued"))).toBe("queued");
  });

  test("[CRW-064] no other step is possible", () => {
    const next = { none: "queued", queued: "dispatched", dispatched: "completed", completed: "queued" };
    for (const from of CORRECTION_STATUSES)
      for (const to of CORRECTION_STATUSES) {
        const move = () => moveCorrection({ APPROVE_DESIGN: { correction_status: from } }, to, to === "dispatched" ? dispatch : undefined);
        if (next[from] === to) expect(correctionStatus(move())).toBe(to);
        else expect(move).toThrow(expect.objectContaining({ code: "invalid_status_transition" }));
      }
    expect(() => moveCorrection(walk("queued"), "dispatched")).toThrow("correction_status");
    expect(() => moveCorrection(walk("queued", "dispatched"), "completed", dispatch)).toThrow("correction_status");
  });

  test("[CRW-065] killed at any point, each request is corrected exactly once before approval is asked again", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("before", "after"), { maxLength: 12 }), (kills) => {
        // The file and the outputs on record survive a kill; whatever a step had not written is done again.
        const disk: { tracking: GateTracking | undefined } = { tracking: undefined };
        const decisions = answer("APPROVE_DESIGN", "changes-requested: x");
        let outputs = 0;
        let asked = 0;
        for (let step = 0; step < 40 && asked === 0; step++) {
          const kill = kills[step];
          if (kill === "before") continue;
          const todo = resumeApproval(decisions, disk.tracking, outputs > 0);
          if (todo.kind !== "correct") {
            asked++;
            continue;
          }
          if (todo.step === "queue") disk.tracking = moveCorrection(disk.tracking, "queued");
          if (todo.step === "dispatch") disk.tracking = moveCorrection(disk.tracking, "dispatched", dispatch);
          if ((todo.step === "dispatch" || todo.step === "dispatch_again") && kill !== "after") outputs++;
          if (todo.step === "complete") disk.tracking = moveCorrection(disk.tracking, "completed");
        }
        expect([outputs, asked, correctionStatus(disk.tracking)]).toEqual([1, 1, "completed"]);
      }),
    );
  });

  test("[CRW-065] each status has its step", () => {
    expect(correctionStep(undefined, false)).toBe("queue");
    expect(correctionStep(walk("queued"), false)).toBe("dispatch");
    expect([correctionStep(walk("queued", "dispatched"), true), correctionStep(walk("queued", "dispatched"), false)]).toEqual([
      "complete",
      "dispatch_again",
    ]);
    expect(correctionStep(walk("queued", "dispatched", "completed"), false)).toBe("ask");
  });
});

describe("resuming", () => {
  const decisions = (...rows: [at: string, context: (typeof CREW_STATES)[number]][]) =>
    rows.reduce<UserDecision[]>((all, [at, stateContext]) => openDecisions(all, ["?"], { at, stateContext }).decisions, []);

  test("[CRW-072] the state of the latest question is returned to", () => {
    expect(returnState(decisions([LATER, "PLAN"], [AT, "DESIGN"]))).toBe("PLAN");
    expect(returnState(decisions([AT, "PLAN"], [LATER, "DESIGN"]))).toBe("DESIGN");
    expect(returnState(open("APPROVE_DESIGN"))).toBeNull();
  });

  test("[CRW-065] in APPROVE_DESIGN: leaves when approved, asks when open, corrects when changes are requested", () => {
    expect(resumeApproval(answer("APPROVE_DESIGN", "approved"), undefined, false)).toEqual({ kind: "leave" });
    expect(resumeApproval(open("APPROVE_DESIGN"), undefined, false)).toEqual({ kind: "ask" });
    expect(resumeApproval(answer("APPROVE_DESIGN", "changes-requested: x"), undefined, false)).toEqual({ kind: "correct", step: "queue" });
  });

  test("[CRW-073] in REVIEW_STRATEGY: leaves with a canonical answer only", () => {
    expect(resumeStrategy(answer("REVIEW_STRATEGY", "per-batch"))).toEqual({ kind: "leave" });
    expect(resumeStrategy(answer("REVIEW_STRATEGY", "batch"))).toEqual({ kind: "ask" });
    expect(resumeStrategy([])).toEqual({ kind: "ask" });
  });

  test("[CRW-083] a cancelled gate is pending again, anything else stays", () => {
    const cancelled = resolveDecision(open("APPROVE_DESIGN"), APPROVE_DESIGN_ID, { status: "cancelled", reason: "r" }, AT);
    expect(reopenCancelledGate(cancelled, LATER)[0]).toMatchObject({ status: "pending", asked_at: LATER, decision_id: APPROVE_DESIGN_ID });
    const other = resolveDecision(decisions([AT, "PLAN"]), "UD-1", { status: "cancelled", reason: "r" }, AT);
    expect(reopenCancelledGate(other, LATER)).toEqual(other);
  });
});
