import { describe, expect, test } from "vitest";
import {
  ARTIFACT_STATUSES,
  assertArtifactTransition,
  type ArtifactStatus,
  type AdjudicationDecision,
  type ShipFacts,
  type StatusFacts,
  type StatusEvidence,
} from "./status.ts";

const ALLOWED = ["DRAFT CHALLENGED", "CHALLENGED ADJUDICATED", "ADJUDICATED SHIPPED", "ADJUDICATED DRAFT", "SHIPPED DEPRECATED"];
const CODE: ShipFacts = { kind: "code", result: "PASS", fingerprint: "a", lockedFingerprint: "a" };
const GROUNDS: Record<ArtifactStatus, StatusEvidence> = {
  CHALLENGED: { to: "CHALLENGED", challenge: "CHAL-1" },
  ADJUDICATED: { to: "ADJUDICATED", adjudication: "ADJ-1" },
  SHIPPED: { to: "SHIPPED", amendmentsApplied: true, evidence: CODE },
  DRAFT: { to: "DRAFT", revisionsLeft: 1 },
  DEPRECATED: { to: "DEPRECATED", successor: "IMPL-2" },
};
const facts = (from: ArtifactStatus, decision: AdjudicationDecision | null): StatusFacts => ({
  from,
  decision,
  isReferencedBy: () => true,
  isShipped: () => true,
});

describe("[FAC-104] exactly five transitions are allowed", () => {
  const pairs = ARTIFACT_STATUSES.flatMap((from) => ARTIFACT_STATUSES.map((to) => [from, to] as const));

  test.each(pairs)("from %s to %s", (from, to) => {
    const change = () => assertArtifactTransition(facts(from, to === "DRAFT" ? "REJECT" : "APPROVE"), GROUNDS[to]);
    if (ALLOWED.includes(`${from} ${to}`)) change();
    else expect(change).toThrow(expect.objectContaining({ code: "invalid_status_transition" }));
  });
});

const ship =
  (decision: AdjudicationDecision | null, evidence: ShipFacts, amendmentsApplied = true) =>
  () =>
    assertArtifactTransition(facts("ADJUDICATED", decision), { to: "SHIPPED", amendmentsApplied, evidence });

describe("[FAC-106] shipping", () => {
  test("needs an approval, with all its amendments", () => {
    ship("APPROVE", CODE, false)();
    ship("APPROVE_WITH_AMENDMENTS", CODE)();
    expect(ship("APPROVE_WITH_AMENDMENTS", CODE, false)).toThrow(/not all amendments/);
    expect(ship("REJECT", CODE)).toThrow(/no adjudication approves/);
    expect(ship(null, CODE)).toThrow(/no adjudication approves/);
  });

  test("needs, for code, a PASS and the locked fingerprint; for other artifacts, validators", () => {
    expect(ship("APPROVE", { ...CODE, result: "FAIL" })).toThrow(/not PASS/);
    expect(ship("APPROVE", { ...CODE, fingerprint: "b" })).toThrow(/Interface fingerprint mismatch: expected a, got b/);
    ship("APPROVE", { kind: "other", validatorsPassed: true })();
    expect(ship("APPROVE", { kind: "other", validatorsPassed: false })).toThrow(/validators/);
  });

  test("[FAC-087] is refused without a locked fingerprint", () => {
    expect(ship("APPROVE", { ...CODE, lockedFingerprint: null })).toThrow(/no contract fingerprint is locked/);
  });
});

describe("[FAC-107]", () => {
  test("only a rejected one returns to draft, and only while a revision is left", () => {
    const back = (decision: AdjudicationDecision, revisionsLeft: number) => () =>
      assertArtifactTransition(facts("ADJUDICATED", decision), { to: "DRAFT", revisionsLeft });
    back("REJECT", 1)();
    expect(back("REJECT", 0)).toThrow(/halts/);
    expect(back("APPROVE", 1)).toThrow(/not rejected/);
  });

  test("only one with a shipped successor is deprecated", () => {
    const deprecate = (isShipped: boolean) => () =>
      assertArtifactTransition({ ...facts("SHIPPED", "APPROVE"), isShipped: () => isShipped }, GROUNDS.DEPRECATED);
    deprecate(true)();
    expect(deprecate(false)).toThrow(/is not shipped/);
  });
});
