import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FIRST, SECOND } from "@slipway/protocols/factory/testing/numbers";
import { expect, test } from "vitest";
import { buildAll, factoryProject, goOn, WITHOUT_APPROVAL, withoutSecondPlan } from "../testing/factory-project.ts";

test("[FAC-067] a person's attestation ships a halted task; the escalation keeps it and the run continues with it", async () => {
  const project = withoutSecondPlan(factoryProject({ "slipway/policy.yaml": WITHOUT_APPROVAL }));
  const halted = await buildAll(project);
  expect(halted.stdout).toContain(`${SECOND} has halted`);
  const attest = (...more: readonly string[]) => project.slipway(["factory", "attest", ...more]);
  const why = ["--rationale", "Doubling twice is done by hand."];
  const folder = join(project.root, ".slipway/state_store/escalations");
  const escalation = () => JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]!), "utf8")) as Record<string, unknown>;

  for (const rationale of [[], ["--rationale", " "]])
    expect((await attest(SECOND, ...rationale)).stderr).toContain("needs --rationale TEXT");
  expect((await attest("T-no-such-task-001", ...why)).stderr).toContain("There is no task");
  expect((await attest(FIRST, ...why)).stderr).toContain(`${FIRST} is SHIPPED and cannot be attested.`);
  expect((await attest(SECOND, ...why, "--module", "MM-twice")).stderr).toContain("MM-twice is not written as MM-…@x.y.z");
  expect((await attest(SECOND, ...why, "--module", "MM-gone@1.0.0")).stderr).toContain("MM-gone@1.0.0 is not SHIPPED");
  // Answering the question directly cannot attest either.
  await project.slipway(["answer", "Q2", JSON.stringify({ action: "ATTESTED", escalation_id: String(escalation()["escalation_id"]) })]);
  expect((await goOn(project)).code).toBe(23);
  expect((await project.slipway(["factory", "status"])).stdout).toContain(`halted: ${SECOND}`);
  expect(escalation()["resolution"]).toBeUndefined();

  const done = await attest(SECOND, ...why, "--module", "MM-twice@1.0.0", "--json");
  expect(done.json()).toMatchObject([{ ok: true, task_id: SECOND, module_refs: ["MM-twice@1.0.0"], next: "slipway resume" }]);
  expect(escalation()).toMatchObject({
    resolution: {
      action: "ATTEST",
      by: "person:kim",
      payload: { rationale: "Doubling twice is done by hand.", module_refs: ["MM-twice@1.0.0"] },
    },
  });
  expect((await project.slipway(["factory", "status"])).stdout).toContain("2 of 2 tasks shipped");
  // Attesting again, for example after a kill, changes nothing.
  expect((await attest(SECOND, "--rationale", "Something else.")).stdout).toContain("resolved by MM-twice@1.0.0;");
  const ended = await goOn(project);
  expect(ended.stdout).toMatch(/REL-\w+ releases 1 module: MM-twice@1\.0\.0\.\n/);
  expect(ended.code).toBe(0);
});
