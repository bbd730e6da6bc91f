import type { Kernel } from "@slipway/kernel/kernel";
import { structuredClaimSchema } from "@slipway/languages/property-tests/claim";
import { witnessSchema } from "@slipway/languages/witnesses/definition";
import { parse as parseToml, TomlDate } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { auditReportSchema } from "../audit/report.ts";
import { CONFIG_FILE } from "../config/config.ts";
import { configSchema } from "../config/sections.ts";
import { ledgerSchema, ledgerToml } from "../ledger/ledger-toml.ts";
import { stateSchema } from "../machine/states.ts";
import { committedFiles } from "../prepare.ts";
import { printClaims } from "../spec/claims.ts";
import { claimId, specClaim, systemSpecSchema } from "../spec/schema.ts";
import { committedDecisions, committedSpec, newestWork, readCommittedSpec, type ArtifactSource } from "./committed-artifacts.ts";

const claimsSchema = z.strictObject({
  meta: z.strictObject({ spec_version: z.string() }),
  claims: z.record(claimId, specClaim).default({}),
});

/** An artifact as it is committed. */
export interface CommittedArtifact {
  readonly source: ArtifactSource;
  readonly value: unknown;
}

interface ArtifactKind {
  readonly schema: z.ZodType;
  /** The value of a text; throws where the text cannot be parsed. */
  readonly read: (text: string) => unknown;
  /** Null if it is not committed, or is no artifact that is kept. */
  readonly committed: (kernel: Kernel) => Promise<CommittedArtifact | null>;
}

/** What `validate_schema` knows. Each has a JSON schema, which is made from the schema here. */
export const ARTIFACT_KINDS = {
  spec: {
    schema: systemSpecSchema,
    read: readToml,
    committed: async (kernel) => {
      const { source, text } = await committedSpec(kernel);
      return { source, value: readToml(text) };
    },
  },
  claims: {
    schema: claimsSchema,
    read: readToml,
    committed: async (kernel) => {
      const { source, spec } = await readCommittedSpec(kernel);
      return { source, value: readToml(printClaims(spec)) };
    },
  },
  ledger: {
    schema: ledgerSchema,
    read: readToml,
    committed: async (kernel) => {
      const { work, entries } = await committedDecisions(kernel);
      const created = entries[0]?.timestamp ?? new Date(kernel.clock.now()).toISOString();
      return { source: ofRun(work.runId), value: readToml(ledgerToml({ spec_version: "1.0.0", created }, entries)) };
    },
  },
  witnesses: {
    schema: z.array(witnessSchema),
    read: readJson,
    committed: async (kernel) => {
      const work = await newestWork(kernel);
      if (work === null) return null;
      return { source: ofRun(work.runId), value: work.artifacts.witnesses.flatMap(({ definition }) => definition ?? []) };
    },
  },
  state: {
    schema: stateSchema,
    read: readJson,
    committed: async (kernel) => {
      const work = await newestWork(kernel);
      return work === null ? null : { source: ofRun(work.runId), value: work.state };
    },
  },
  config: {
    schema: configSchema,
    read: readToml,
    committed: async (kernel) => {
      const text = await committedFiles(kernel)(CONFIG_FILE);
      return text === null ? null : { source: { kind: "base_branch", path: CONFIG_FILE }, value: readToml(text) };
    },
  },
  contradiction_report: { schema: auditReportSchema, read: readYaml, committed: async () => null },
  witness: { schema: witnessSchema, read: readJson, committed: async () => null },
  structured_claim: { schema: structuredClaimSchema, read: readJson, committed: async () => null },
} as const satisfies Readonly<Record<string, ArtifactKind>>;

export type ArtifactKindName = keyof typeof ARTIFACT_KINDS;
export const ARTIFACT_KIND_NAMES = Object.keys(ARTIFACT_KINDS) as [ArtifactKindName, ...ArtifactKindName[]];

export function artifactKind(name: ArtifactKindName): ArtifactKind {
  return ARTIFACT_KINDS[name];
}

function ofRun(run_id: string): ArtifactSource {
  return { kind: "run", run_id };
}

function readJson(text: string): unknown {
  return JSON.parse(text);
}

function readYaml(text: string): unknown {
  return parseYaml(text, { maxAliasCount: 0 });
}

/** A time without quotes is text in every schema. */
function readToml(text: string): unknown {
  return JSON.parse(JSON.stringify(parseToml(text), (_key, value: unknown) => (value instanceof TomlDate ? value.toISOString() : value)));
}
