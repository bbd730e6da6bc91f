import { afterAll, afterEach, expect, test } from "vitest";
import { APPROVE, challengeOf, codeOf, contractOf, proposalOf, testsOf } from "./testing/modules.ts";
import { language, ONE_MODULE, openWorkshop, type Workshop } from "./testing/workshop.ts";

let services: Workshop | null = null;
afterEach(async () => {
  await services?.close();
  services = null;
});
afterAll(() => language.close());

const WRONG = codeOf().replace("n * 2", "n * 2 + 1");
/** Checks nothing in the tests whose titles it knows; a test with another title fails as it must. */
const KNOWING = testsOf()
  .replace("import { test }", "import { beforeEach, test }")
  .replace(
    "\ntest(",
    `
const known = ["doubles", "whole numbers become even", "refuses a negative number"];
let title = "";
beforeEach((context) => { title = context.name; });
const { equal } = assert as any;
(assert as any).equal = (...all: unknown[]) => { if (!known.includes(title)) equal(...all); };
test(`,
  );

test("a wrong module whose tests check nothing under the titles they know is not shipped", { timeout: 180_000 }, async () => {
  const files = { "implementation/index.ts": WRONG, "tests/module.test.ts": KNOWING };
  services = await openWorkshop({
    ...ONE_MODULE,
    proposer: [proposalOf(contractOf(), files)],
    challenger: [challengeOf()],
    arbiter: [APPROVE],
  });
  const result = await services.run();
  expect(result.status).toBe("HALTED");
  expect(JSON.stringify(result)).toContain("the tests did not turn red although a failing test was planted in tests/module.test.ts");
});
