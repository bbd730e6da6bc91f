import { digestOf } from "@slipway/durable/canonical";
import { CALENDAR } from "./calendar.ts";
import type { BenchmarkCase, BenchmarkLevel } from "./case.ts";
import { CLI_TOOL } from "./cli-tool.ts";
import { HARD_CASES } from "./hard-micro.ts";
import { HEAP } from "./heap.ts";
import { LIBRARY } from "./library.ts";
import { SIMPLE_CASES } from "./micro.ts";
import { REST_API } from "./rest-api.ts";

/** The bundled suite, in TypeScript: from one function to small applications. */
export const SUITE: readonly BenchmarkCase[] = [...SIMPLE_CASES, ...HARD_CASES, HEAP, CALENDAR, CLI_TOOL, REST_API, LIBRARY];

/** Raise it with every change of a case. Results of different versions are not compared. */
const VERSION = 1;

const DIGEST_CHARACTERS = 8;

/** The version of these cases, such as `1-3f9a01bc`: a part of the suite has another one than all of it, as has an edited case. */
function versionOf(cases: readonly BenchmarkCase[]): string {
  return `${VERSION}-${digestOf(cases).slice(0, DIGEST_CHARACTERS)}`;
}

/** The versions of the levels that have some of these cases. */
export function suiteVersions(cases: readonly BenchmarkCase[]): Partial<Record<BenchmarkLevel, string>> {
  const levels = Map.groupBy(cases, ({ level }) => level);
  return Object.fromEntries([...levels].map(([level, some]) => [level, versionOf(some)]));
}
