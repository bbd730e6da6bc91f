import type { Case } from "./contract.ts";
import { EASIER_GATES } from "./cases/easier-gates.ts";
import { FORGED_VERDICTS } from "./cases/forged-verdicts.ts";
import { HONEST_CHANGES } from "./cases/honest-changes.ts";
import { HONEST_ELSEWHERE } from "./cases/honest-elsewhere.ts";
import { HONEST_LISTS } from "./cases/honest-lists.ts";
import { HONEST_TESTS } from "./cases/honest-tests.ts";
import { IDLE_TESTS } from "./cases/idle-tests.ts";
import { NOTHING_DONE } from "./cases/nothing-done.ts";
import { OTHER_LANGUAGES } from "./cases/other-languages.ts";
import { WEAKER_TESTS } from "./cases/weaker-tests.ts";

export const CASES: readonly Case[] = [
  ...NOTHING_DONE,
  ...WEAKER_TESTS,
  ...IDLE_TESTS,
  ...EASIER_GATES,
  ...FORGED_VERDICTS,
  ...OTHER_LANGUAGES,
  ...HONEST_CHANGES,
  ...HONEST_TESTS,
  ...HONEST_ELSEWHERE,
  ...HONEST_LISTS,
];
