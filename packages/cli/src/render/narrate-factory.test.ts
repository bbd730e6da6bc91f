import { describe, expect, test } from "vitest";
import { event } from "../testing/event.ts";
import { narrate } from "./narrate.ts";

const said = (stream: string, name: string, value: unknown, kind = "step") =>
  narrate(event({ stream, kind, name, payload: kind === "step" ? { value } : value }));

describe("a run of the factory", () => {
  test.each([
    ["run", "init_state_machine", null, "project", "the spec is planned, task by task", true],
    ["run", "dispatch:1", { kind: "start", task: "T-a-001" }, "T-a-001", "at work", null],
    ["run", "release", { release_id: "REL-1", overall_result: "PASS" }, "project", "REL-1 passes its gates", true],
    ["run", "release", { release_id: "REL-1", overall_result: "FAIL" }, "project", "REL-1 does not pass its gates", false],
    ["run/task:2", "MM-a/route:1:revise", {}, "MM-a", "round 1: the objections stand: it is revised", null],
    ["run/task:2", "MM-a/route:2:ship", {}, "MM-a", "round 2: approved", true],
    ["run/task:2", "MM-a/route:3:halt", {}, "MM-a", "round 3: no agreement: a person has to decide", false],
    ["run/task:2", "MM-a/ship:1:register", null, "MM-a", "tested, sealed and in the code index", true],
  ])("in %s: %s", (stream, name, value, feature, text, good) => expect(said(stream, name, value)).toEqual({ feature, text, good }));

  test.each([
    ["run", "dispatch:3", { kind: "complete" }],
    ["run", "release", null],
    ["run/task:2", "plan:1", {}],
    ["run/product", "tool:1.1.1", {}],
    ["run/other", "init_state_machine", null],
  ])("says nothing of %s: %s", (stream, name, value) => expect(said(stream, name, value)).toBeNull());

  test("says who is asked and who answered", () => {
    expect(said("run/product", "gate:1.1", { title: "Build it?" }, "asked")).toMatchObject({ feature: "product", text: "asks: Build it?" });
    expect(said("run", "decide:1.1", { $blob: "a" }, "asked")).toMatchObject({ feature: "project", text: "asks a person" });
    expect(said("run", "decide:1.1", { by: "person:kim" }, "answered")).toMatchObject({ text: "answered by person:kim" });
    expect(said("run", "decide:1.1", [], "answered")).toMatchObject({ text: "answered by a person" });
    expect(said("run", "pause", {}, "sleeping")).toBeNull();
  });
});
