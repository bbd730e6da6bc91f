import { expect, test } from "vitest";
import { lettersToApprove } from "./testing/project.ts";

test("an overdue question is printed when the run resumes, once each time it is due", async () => {
  const project = await lettersToApprove();
  const reminded = "still waits for a person: Merge letters into main? → slipway approve letters";
  const resume = async () => {
    const { stdout, stderr } = await project.slipway(["resume"]);
    return `${stdout}${stderr}`.includes(reminded);
  };
  expect(await resume()).toBe(false);
  project.sql("UPDATE questions SET remind_at = '[1, 2, 9999999999999]' RETURNING id");
  expect([await resume(), await resume()]).toEqual([true, false]);
  project.sql("UPDATE questions SET remind_at = '[1, 2, 3]' RETURNING id");
  expect([await resume(), await resume()]).toEqual([true, false]);
});

test("questions of other runs are not printed", async () => {
  const project = await lettersToApprove();
  project.sql("UPDATE questions SET remind_at = '[1]', run_id = 'another' RETURNING id");
  const { stdout, stderr } = await project.slipway(["resume"]);
  expect(`${stdout}${stderr}`).not.toContain("still waits for a person");
});
