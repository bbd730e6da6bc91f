import { oneLine } from "../narration/one-line.ts";
import type { Ending } from "../protocol.ts";
import type { CriticalityResult } from "./protocol.ts";

/** Without where it landed: the commit says it. */
type Described = CriticalityResult extends infer R ? (R extends unknown ? Omit<R, "landing"> : never) : never;

export function describeCriticality(result: Described): Ending {
  switch (result.status) {
    case "merged": {
      const { commit, functions, escalations, claims, unmet } = result;
      const passed = Object.values(claims).filter((status) => status === "pass").length;
      return {
        done: true,
        lines: [
          `The program is merged as ${commit.slice(0, 10)}: ${functions} functions, ${escalations} escalated, ${passed} of ${Object.keys(claims).length} claims tested.`,
          ...unmet.map((line) => `  target not met: ${line}`),
        ],
      };
    }
    case "not_merged":
      return { done: false, lines: [`The program was not merged: ${oneLine(result.reason)}`] };
    case "given_up":
      return { done: false, lines: [oneLine(result.reason)] };
  }
}
