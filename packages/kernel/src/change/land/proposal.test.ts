import { afterEach, expect, test } from "vitest";
import { TOOLS } from "../../config/rbac.ts";
import { callAs, LETTERS, lettersOn } from "../testing/letters.ts";
import { openScratchKernel, POLICY, type ScratchKernel } from "../testing/scratch-kernel.ts";

let scratch: ScratchKernel;
afterEach(() => scratch.close());

/** The actor "system" may merge by one tool alone. */
async function openWithout(tool: string) {
  const policy = POLICY.replace("allow_merge: false", "allow_merge: true");
  const rights = `rbac: { system: [${TOOLS.filter((one) => one !== tool).join(", ")}], orchestrator: [plan.get] }\n`;
  scratch = await openScratchKernel({ "slipway/policy.yaml": policy + rights });
  await lettersOn(scratch).ready();
  return scratch.kernel.features;
}
const wanted = { commit_message: "Letters, as the client puts it" };
const forApproval = { code: "user_approval_required" };

test("the message of a client that may only call repo.merge waits for the person who approves", async () => {
  const features = await openWithout("feature.ready_to_merge");
  await expect(features.repoMerge(callAs(), { ...LETTERS, ...wanted })).rejects.toMatchObject(forApproval);
  expect(await features.mergeProposal("letters")).toEqual(wanted);
});

test("the message of a client that may only call feature.ready_to_merge waits for the person who approves", async () => {
  const features = await openWithout("repo.merge");
  await expect(features.merge(callAs(), { ...LETTERS, ...wanted })).rejects.toMatchObject(forApproval);
  expect(await features.mergeProposal("letters")).toEqual(wanted);
});

test("the message that a person proposes waits, and the newest one counts", async () => {
  const features = await openWithout("repo.merge");
  const person = () => ({ ...callAs(), actor: { type: "person", id: "kim" } as const });
  const former = { commit_message: "An earlier message", merge_strategy: "squash" };
  await expect(features.merge(callAs(), { ...LETTERS, ...former })).rejects.toMatchObject(forApproval);
  expect(await features.mergeProposal("letters")).toEqual(former);
  await expect(features.merge(person(), { ...LETTERS, ...wanted })).rejects.toMatchObject(forApproval);
  expect(await features.mergeProposal("letters")).toEqual(wanted);
});
