import type { Scaffold } from "@slipway/protocols/criticality/lattice/scaffold";
import { bodies, cluster, noContradictions, plain, type Said } from "../cassette.ts";

export const SPEC = `[meta]
version = "1.0.0"
created = 2026-11-18T10:00:00Z
domain = "tides"

[system]
name = "tides"
description = "Heights of tides"

[boundaries]
external_systems = []
trust_boundaries = []

[constraints]
functional = ["The spread of heights is never negative."]
non_functional = []
security = []

[claims.tide_001]
text = "The spread of two heights is never negative."
type = "behavioral"
testable = true
`;

const TIDES = `/**
 * REQUIRES: Number.isFinite(high) && Number.isFinite(low)
 * ENSURES: result >= 0
 * PURITY: pure
 * CLAIM_REF: tide_001
 */
export function spread(high: number, low: number): number {
  throw new Error("hole");
}
`;

/** A program with one function. */
export function answersOf(hole: string, body: string): readonly Said[] {
  const skeleton: Scaffold = {
    files: [{ path: "src/domain/tides.ts", feature: null, text: TIDES.replace('throw new Error("hole");', hole) }],
    calls: [],
  };
  return [
    { role: "structurer", subject: "witnesses", attempt: "1.1", output: { witnesses: [] } },
    { role: "structurer", subject: "lattice", attempt: "1.1", output: skeleton },
    ...noContradictions(1),
    ...bodies(1, { "domain.tides.spread": [{ body }] }),
    ...cluster("tides", [
      { ...plain, id: "tide_001", type: "behavioral", subject: "spread", predicate: "result >= 0", scope: "all finite heights" },
    ]),
  ];
}
