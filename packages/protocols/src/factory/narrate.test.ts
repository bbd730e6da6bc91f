import { describe, expect, test } from "vitest";
import { event } from "../narration/testing/event.ts";
import { loadProtocols, narrateWith } from "../all-protocols.ts";

const narrate = narrateWith(await loadProtocols());

const said = (stream: string, name: string, value: unknown, kind = "step") =>
  narrate(event({ stream, kind, name, payload: kind === "step" ? { value } : value }));

describe("a run of the factory", () => {
  test.each([
    ["run", "init_state_machine", { tasks: 2, large: false }, "project", "spec planned into tasks", true],
    [
      "run",
      "init_state_machine",
      { tasks: 501, large: true },
      "project",
      "spec planned into tasks: 501 tasks; `slipway factory status` shows progress",
      true,
    ],
    ["run", "dispatch:1", { kind: "start", task: "T-a-001" }, "T-a-001", "in progress", null],
    [
      "run",
      "dispatch:2",
      { kind: "start", task: "T-a-001", place: ["reading", "files", "open"] },
      "T-a-001",
      "in progress: reading / files / open",
      null,
    ],
    ["run", "release", { release_id: "REL-1", overall_result: "PASS" }, "project", "REL-1 passes its gates", true],
    ["run", "release", { release_id: "REL-1", overall_result: "FAIL" }, "project", "REL-1 does not pass its gates", false],
    ["run/task:2", "MM-a/route:1:revise", { next: "revise" }, "MM-a", "round 1: objections stand: revised", null],
    ["run/task:2", "MM-a/route:2:ship", { next: "ship" }, "MM-a", "round 2: approved", true],
    ["run/task:2", "MM-a/route:3:halt", { next: "halt" }, "MM-a", "round 3: no agreement: a person has to decide", false],
    [
      "run/task:2",
      "check:plan:1",
      {
        ok: true,
        draft: {
          modules: [
            { module_id: "MM-a", reuse_decision: "CREATE_NEW" },
            { module_id: "MM-b", reuse_decision: "REUSE" },
          ],
        },
        alike: { "MM-a": [{ module_ref: "MM-c@1.0.0" }] },
      },
      "plan",
      "MM-a (new, similar to MM-c@1.0.0: reason in the plan), MM-b (reused)",
      null,
    ],
    ["run/task:2", "MM-a/ship:1:register", null, "MM-a", "tested, sealed and indexed", true],
    ["run", "recheck:2", { kept: true, module_refs: ["MM-a@1.0.0"] }, "MM-a@1.0.0", "kept: its tests pass with the new versions", true],
    [
      "run/product",
      "tool:1.1.2",
      { ok: true, output: { errors: [{ message: "TSK-001 has no subtask" }, {}], warnings: [] } },
      "product",
      "the draft has 2 faults, such as TSK-001 has no subtask",
      null,
    ],
    ["run/product", "tool:1.2.1", { ok: true, output: { spec_digest: "a" } }, "product", "spec emitted; it meets all 14 criteria", true],
    [
      "run/task:2",
      "check:plan:1",
      {
        ok: true,
        draft: {
          modules: [
            { module_id: "MM-a", reuse_decision: "REUSE" },
            { module_id: "MM-b", reuse_decision: "CREATE_NEW" },
          ],
        },
        alike: {},
      },
      "plan",
      "MM-a (reused), MM-b (new)",
      null,
    ],
    ["run/task:2", "check:plan:2", { ok: false, problems: [{ message: "is empty" }] }, "plan", "refused: is empty", false],
    ["run/task:2", "MM-a/reuse", { module_id: "MM-a", version: "1.0.0" }, "MM-a", "reused from the code index: MM-a@1.0.0", true],
    [
      "run/task:2",
      "MM-a/inspect:1",
      { summary: [{ result: "PASS" }, { result: "FAIL" }], findings: [{ evidence: "it fails" }] },
      "MM-a",
      "proposed; 1 of 2 tests pass; found by the harness: it fails",
      null,
    ],
    [
      "run/task:2",
      "MM-a/inspect:2",
      { summary: [{ result: "PASS" }], findings: [] },
      "MM-a",
      "proposed; 1 of 1 tests pass, surface matches the contract",
      null,
    ],
    [
      "run/task:2",
      "MM-a/challenge:1:witnesses",
      [
        { standing: "fact", report: "found by the harness" },
        { standing: "upheld", report: '"it is so" was run and fails: "it is so": AssertionError: it is not' },
        { standing: "refuted", report: '"all is well" was run and passes: all is well' },
        { standing: "document", report: "about what is written" },
      ],
      "MM-a",
      'objection upheld: "it is so" was run and fails: it is not; objection refuted: "all is well" was run and passes; objection to a document stands',
      null,
    ],
    ["run/task:2", "MM-a/amended:1", [], "MM-a", "amendments applied and checked", null],
    ["run/task:2", "MM-a/amended:1", [{}], "MM-a", "1 amendments not applied", false],
    [
      "run/task:2",
      "MM-a/propose:1:exception",
      { ok: true, exception_id: "ICE-1" },
      "MM-a",
      "needs a changed contract of another module: ICE-1",
      null,
    ],
    ["run/task:2", "MM-a/propose:1:exception", { ok: false }, "MM-a", "interface change refused", null],
    ["run/new-version:6.1", "ICE-1a:finalize", null, "ICE-1a", "changed contract agreed; building it", true],
    ["run/new-version:6.1", "supersede", { module_ref: "MM-a@1.0.0" }, "MM-a@1.0.0", "superseded by the new version", null],
  ])("in %s: %s", (stream, name, value, feature, text, good) => expect(said(stream, name, value)).toEqual({ feature, text, good }));

  test.each([
    ["run", "dispatch:3", { kind: "complete" }],
    ["run", "release", null],
    ["run/task:2", "plan:1", {}],
    ["run/product", "tool:1.1.1", {}],
    ["run/product", "tool:1.1.1", { ok: true, output: { errors: [] } }],
    ["run/product", "gate:1.1", { ok: true }],
    ["run", "recheck:2", { kept: false, because: "" }],
    ["run/task:2", "MM-a/challenge:1:witnesses", [{ standing: "fact", report: "" }]],
    ["run/task:2", "MM-a/challenge:1:witnesses", { $blob: "a" }],
    ["run/task:2", "MM-a/amended:1", null],
    ["run/task:2", "MM-a/inspect:1", null],
    ["run/task:2", "MM-a/propose:1:exception", null],
    ["run/task:2", "check:plan:1", null],
    ["run/new-version:6.1", "supersede", {}],
    ["run/other", "init_state_machine", null],
  ])("prints nothing for %s: %s", (stream, name, value) => expect(said(stream, name, value)).toBeNull());

  test("prints what an edited page changes in the project, task by task", () => {
    const step = {
      task_id: "T-a-001",
      spec_task_id: "TSK-001",
      name: "A\u001b[31m",
      action: "build",
      because: ["new"],
      module_refs: [],
      was: null,
    };
    expect(said("run/product", "changes:1.1", { tasks: [step], removed: [] })).toEqual({
      feature: "product",
      good: null,
      text: "1 new or not finished",
      more: ["1 built:", "  T-a-001 (A\u001b[31m): new"],
      data: { plan: { tasks: [step], removed: [] } },
    });
    const spilled = { ...event({ stream: "run", kind: "step", name: "changes" }), payload: `{"$blob":"${"a".repeat(64)}","bytes":70000}` };
    expect(narrate(spilled)).toMatchObject({ feature: "project", text: expect.stringContaining("`slipway inbox`") as string });
  });

  test("prints questions and who answered", () => {
    expect(said("run/product", "gate:1.1", { title: "Build it?" }, "asked")).toMatchObject({ feature: "product", text: "asks: Build it?" });
    expect(said("run", "decide:1.1", { $blob: "a" }, "asked")).toMatchObject({ feature: "project", text: "asks a person" });
    expect(said("run", "decide:1.1", { by: "person:kim" }, "answered")).toMatchObject({ text: "answered by person:kim" });
    expect(said("run", "decide:1.1", [], "answered")).toMatchObject({ text: "answered by a person" });
    expect(said("run", "pause", {}, "sleeping")).toBeNull();
  });
});
