import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let change: string;
beforeEach(async () => {
  scratch = await openScratchKernel();
  ({ change } = await lettersOn(scratch).ready());
});
afterEach(() => scratch.close());

/** With an approval of exactly this message and strategy. */
async function merge(more: Record<string, unknown>, call = callAs()) {
  const input = { ...LETTERS, merge_strategy: "rebase", ...more };
  const user_approval_token = scratch.sign(await scratch.kernel.features.candidate(callAs(), input));
  return scratch.kernel.features.merge(call, { ...input, user_approval_token });
}
const message = (name = "main") => scratch.git("log", "-1", "--format=%B", name).trim();
const trailersOf = (name = "main") => scratch.git("log", "-1", "--format=%(trailers)", name).trim().split("\n");

describe("the message of a merge", () => {
  test("begins with the given subject, then has the plan's summary and all trailers", async () => {
    const call = callAs();
    const words = { subject: "feat(letters): change the first", trailers: ["Run-Id: r1", "Confidence: High"] };
    const input = { ...LETTERS, merge_strategy: "rebase", ...words };
    const user_approval_token = scratch.sign(await scratch.kernel.features.candidate(callAs(), input));
    const landing = await scratch.kernel.features.merge(call, { ...input, user_approval_token });
    expect(message()).toBe(
      [
        "feat(letters): change the first",
        "",
        "change the letters",
        "",
        "Slipway-Feature: letters",
        `Slipway-Change: ${change}`,
        "Approved-by: kim",
        "Run-Id: r1",
        "Confidence: High",
      ].join("\n"),
    );
    expect(trailersOf()).toHaveLength(5);
    expect(await scratch.kernel.features.merge(call, { ...input, user_approval_token })).toEqual(landing);
  });

  test("keeps its subject if only trailers are given", async () => {
    await merge({ trailers: ["Run-Id: r1"] });
    expect(message().split("\n")[0]).toBe("letters: change the letters");
    expect(trailersOf()).toEqual(["Slipway-Feature: letters", `Slipway-Change: ${change}`, "Approved-by: kim", "Run-Id: r1"]);
  });

  test("has one block of trailers also when it is squashed, and its subject in a merge commit", async () => {
    const { feature_commit } = await merge({ subject: "feat: it", trailers: ["Run-Id: r1"], merge_strategy: "squash" });
    expect(trailersOf().slice(-2)).toEqual(["Run-Id: r1", `Squashed-from: ${feature_commit}`]);
    expect(trailersOf()).toContain("Slipway-Feature: letters");
  });

  test("that a client gives as a whole has Slipway's trailers too, in one block with its own", async () => {
    await merge({ commit_message: "Letters\n\nBecause of them.\n\nCo-authored-by: Ada <ada@localhost>\n" });
    expect(message().split("\n").slice(0, 3)).toEqual(["Letters", "", "Because of them."]);
    expect(trailersOf()).toEqual([
      "Slipway-Feature: letters",
      `Slipway-Change: ${change}`,
      "Approved-by: kim",
      "Co-authored-by: Ada <ada@localhost>",
    ]);
  });

  test("other than the approved one is refused, and waits for the person who approves", async () => {
    const { features } = scratch.kernel;
    const token = scratch.sign(await features.candidate(callAs(), LETTERS));
    const refused = (more: object) =>
      expect(features.merge(callAs(), { ...LETTERS, user_approval_token: token, ...more })).rejects.toMatchObject({
        code: "user_approval_required",
        details: { reason: "message" },
      });
    await refused({ subject: "feat: another" });
    await refused({ trailers: ["Run-Id: r1"] });
    await refused({ merge_strategy: "squash" });
    expect(await features.mergeProposal("letters")).toBeNull();
    const wanted = { commit_message: "Another", merge_strategy: "squash" };
    await refused(wanted);
    expect(await features.mergeProposal("letters")).toEqual(wanted);
    const approved = scratch.sign(await features.candidate(callAs(), { ...LETTERS, ...wanted }));
    await features.merge(callAs(), { ...LETTERS, ...wanted, user_approval_token: approved });
    expect(message().split("\n")[0]).toBe("Another");
  });

  test("of a merge commit names the subject", async () => {
    await merge({ subject: "feat: it", merge_strategy: "merge_commit" });
    expect(message()).toBe('Merge "feat: it"');
    expect(message("letters").split("\n")[0]).toBe("feat: it");
  });
});

describe("words that are refused before a person is asked, and before anything is merged", () => {
  test.each([
    ["an empty subject", { subject: "" }],
    ["a blank subject", { subject: "  " }],
    ["a subject of two lines", { subject: "feat: it\nSlipway-Change: none" }],
    ["a carriage return", { subject: "feat: it\rmore" }],
    ["a line separator", { subject: "feat: it\u2028more" }],
    ["a control character", { subject: "feat: \u001b[31mit" }],
    ["a long subject", { subject: "x".repeat(201) }],
    ["half a character", { subject: "x\ud800" }],
    ["Slipway's own trailer", { trailers: ["Slipway-Change: none"] }],
    ["Slipway's own trailer in another case", { trailers: ["slipway-anything: none"] }],
    ["an approval", { trailers: ["Approved-by: somebody"] }],
    ["an approval in another case", { trailers: ["APPROVED-BY: somebody"] }],
    ["the origin of a squash", { trailers: ["Squashed-from: 123"] }],
    ["a trailer of two lines", { trailers: ["Run-Id: r1\nApproved-by: somebody"] }],
    ["a trailer without a value", { trailers: ["Run-Id: "] }],
    ["a trailer without a key", { trailers: ["just words"] }],
    ["a continued trailer", { trailers: [" Approved-by: somebody"] }],
    ["a whole message with Slipway's own trailer", { commit_message: "Letters\n\nSlipway-Feature: something_else" }],
    ["a whole message with an approval in its body", { commit_message: "Letters\n\nAPPROVED-BY : the CEO\n\nMore." }],
    ["a whole message with an indented approval", { commit_message: "Letters\n\nRun-Id: r1\n  approved-by: the CEO" }],
    ["a whole message with the origin of a squash", { commit_message: "Letters\n\nsquashed-from: 123" }],
    ["a whole message that git takes to end early", { commit_message: "Letters\n\n---\nmore" }],
    ["a whole message with a carriage return", { commit_message: "Letters\rmore" }],
    ["a blank message", { commit_message: " \n" }],
    ["a whole message beside a subject", { commit_message: "Letters", subject: "feat: it" }],
    ["a whole message beside trailers", { commit_message: "Letters", trailers: ["Run-Id: r1"] }],
  ])("%s", async (_what, words) => {
    const before = scratch.git("rev-parse", "main");
    const given = { ...LETTERS, user_approval_token: "x", ...words };
    await expect(scratch.kernel.features.candidate(callAs(), { ...LETTERS, ...words })).rejects.toMatchObject({
      code: "schema_validation_failed",
    });
    await expect(scratch.kernel.features.merge(callAs(), given)).rejects.toMatchObject({ code: "schema_validation_failed" });
    expect(scratch.git("rev-parse", "main")).toBe(before);
  });
});
