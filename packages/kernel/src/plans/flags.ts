import type { Policy } from "../config/policy.ts";
import { strictAreaMatcher } from "./areas.ts";
import type { Change } from "./changes.ts";

export interface ChangeFlag {
  readonly path: string;
  readonly flag: "protected_file" | "protected_test";
  readonly message: string;
}

const VERBS: Record<Change["status"], string> = { A: "adds", M: "changes", T: "changes", D: "removes" };

/** Changes the person who approves must be shown: what decides "done", and tests that were there before. */
export function flagChanges(changes: readonly Change[], policy: Policy): ChangeFlag[] {
  const file = strictAreaMatcher(policy.protected_files, "glob");
  const test = strictAreaMatcher(policy.protected_tests, "glob");
  return changes.flatMap(({ path, status }): ChangeFlag[] => {
    const pattern = file(path);
    if (pattern !== null) return [{ path, flag: "protected_file", message: `${VERBS[status]} a file protected by ${pattern}` }];
    if (status === "A" || test(path) === null) return [];
    return [{ path, flag: "protected_test", message: `${VERBS[status]} a test that was there before` }];
  });
}
