import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
let token: string;
let change: string;
beforeEach(async () => {
  scratch = await openScratchKernel();
  const candidate = await lettersOn(scratch).ready();
  change = candidate.change;
  token = scratch.sign(candidate);
});
afterEach(() => scratch.close());

const merge = (more: Record<string, unknown>, call = callAs()) =>
  scratch.kernel.features.merge(call, { ...LETTERS, user_approval_token: token, merge_strategy: "rebase", ...more });
const message = (name = "main") => scratch.git("log", "-1", "--format=%B", name).trim();
const trailersOf = (name = "main") => scratch.git("log", "-1", "--format=%(trailers)", name).trim().split("\n");

describe("the message of a merge", () => {
  test("begins with the given subject, then has the plan's summary and all trailers", async () => {
    const call = callAs();
    const words = { subject: "feat(letters): change the first", trailers: ["Run-Id: r1", "Confidence: High"] };
    const landing = await merge(words, call);
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
    expect(await merge(words, call)).toEqual(landing);
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

  test("of a merge commit names the subject", async () => {
    await merge({ subject: "feat: it", merge_strategy: "merge_commit" });
    expect(message()).toBe('Merge "feat: it"');
    expect(message("letters").split("\n")[0]).toBe("feat: it");
  });
});

describe("words that are refused before anything is merged", () => {
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
    ["a whole message beside a subject", { commit_message: "Letters", subject: "feat: it" }],
    ["a whole message beside trailers", { commit_message: "Letters", trailers: ["Run-Id: r1"] }],
  ])("%s", async (_what, words) => {
    const before = scratch.git("rev-parse", "main");
    await expect(merge(words)).rejects.toMatchObject({ code: "schema_validation_failed" });
    expect(scratch.git("rev-parse", "main")).toBe(before);
  });
});
