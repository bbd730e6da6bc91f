import { expect, test } from "vitest";
import { CREW_NARRATION } from "../crew/narrate.ts";
import { FORGE_NARRATION } from "../forge/narrate.ts";
import { cutText } from "./sent-back.ts";
import { endedLine } from "./step-text.ts";

const sentBack = ["payload/checks_cited/0: the check end-to-end of task-01 never ran"];
const payload = (value: object, more: object) => JSON.stringify({ value: { ok: true, value, ...more } });

test.each([
  [
    "forge",
    FORGE_NARRATION,
    "forge-agent:adversarial-reviewer:code-correctness-r1.1",
    { answer: { completion: { status: "DONE", summary: "Fine." } } },
  ],
  ["crew", CREW_NARRATION, "crew-agent:Reviewer:1", { output: { status: "OK", summary: "Fine." } }],
] as const)("a person sees what was wrong with an answer that %s sent back", (_protocol, rows, step, value) => {
  expect(endedLine(rows, step, payload(value, { sentBack }))).toMatchObject({ more: [`an answer was sent back: ${sentBack[0]}`] });
  expect(endedLine(rows, step, payload(value, {}))).not.toHaveProperty("more");
});

test("a long message is cut, between characters", () => {
  expect(cutText("short")).toBe("short");
  const cut = cutText(`${"a".repeat(239)}🟢${"b".repeat(100)}`);
  expect(cut.isWellFormed()).toBe(true);
  expect(cut).toHaveLength(241);
});
