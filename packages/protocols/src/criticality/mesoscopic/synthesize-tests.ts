import { SlipwayError } from "@slipway/agents/errors";
import type { GeneratedTest, LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import type { StructuredClaim } from "@slipway/languages/property-tests/claim";
import type { CriticalityRun } from "../criticality-run.ts";
import type { Lattice } from "../lattice/lattice.ts";
import type { SystemSpec } from "../spec/schema.ts";
import type { Cluster } from "./clusters.ts";
import { parseClaims, type ClaimWithoutTest } from "./parse-claims.ts";
import { publicInterface } from "./public-interface.ts";

export interface ClaimTest {
  readonly claim: string;
  readonly test: GeneratedTest;
}

export interface ClusterTests {
  readonly cluster: Cluster;
  readonly tests: readonly ClaimTest[];
  /** Claims that no test covers, each with the reason. They are listed for the reader; none of them counts as passed. */
  readonly untested: readonly ClaimWithoutTest[];
}

export interface SynthesisInput {
  readonly spec: Pick<SystemSpec, "claims">;
  readonly lattice: Pick<Lattice, "tree" | "functions">;
  readonly cluster: Cluster;
  /** The number of this visit of the phase in the run, from 1. */
  readonly round: number;
}

/** Tests of a cluster's claims. Models see claims, signatures and contracts; templates write the tests, from the lattice without bodies. */
export async function synthesizeTests(run: CriticalityRun, { spec, lattice, cluster, round }: SynthesisInput): Promise<ClusterTests> {
  const claims = cluster.claims.flatMap((id) => {
    const claim = spec.claims[id];
    return claim === undefined ? [] : [{ id, ...claim }];
  });
  const step = `claims:${round}:${cluster.name}`;
  const parsed = await parseClaims(run, {
    claims,
    interfaces: publicInterface(run.services.language, lattice, cluster.modules),
    decisions: await run.ledger.constraintBlock(`${step}:decisions`),
    subject: cluster.name,
    step,
  });
  const rendered = parsed.claims.map((claim) => renderTest(run.services.language, lattice.tree, claim));
  return {
    cluster,
    tests: rendered.flatMap((one) => ("test" in one ? [one] : [])),
    untested: [...parsed.untested, ...rendered.flatMap((one) => ("reason" in one ? [one] : []))],
  };
}

/** From a template, without a model. */
export function renderTest(language: LanguageAdapter, tree: SourceTree, claim: StructuredClaim): ClaimTest | ClaimWithoutTest {
  if (!claim.testable) return { claim: claim.id, reason: "it is not testable" };
  try {
    const test = language.claimTest(tree, claim);
    if (test.tests.length > 0) return { claim: claim.id, test };
    return { claim: claim.id, reason: test.untested.map(({ reason }) => reason).join("; ") || "no template fits it" };
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error;
    return { claim: claim.id, reason: error.message };
  }
}
