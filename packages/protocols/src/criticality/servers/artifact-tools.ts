import { SlipwayError } from "@slipway/agents/errors";
import type { Kernel } from "@slipway/kernel/kernel";
import { decisionDraft, decisionSchema } from "@slipway/kernel/record/decisions/decision";
import type { AnyTool } from "@slipway/kernel/tools/tool";
import { witnessSchema, WITNESS_LEVELS } from "@slipway/languages/witnesses/definition";
import { z } from "zod";
import type { ServerSession } from "../../tool-server.ts";
import { MAX_SPEC_BYTES } from "../spec/read-spec.ts";
import { SPEC_SECTIONS, type SpecSection } from "../spec/schema.ts";
import { artifactKind, ARTIFACT_KIND_NAMES, type ArtifactKindName } from "./artifact-schemas.ts";
import { missingArtifact, newestWork, readCommittedSpec, scopeOf, type ArtifactSource } from "./committed-artifacts.ts";
import { openGuard } from "./guard.ts";
import { ARTIFACT_SERVER } from "./names.ts";
import { artifactViolations, readArtifactText, type ArtifactViolation } from "./validate-artifact.ts";

const sections = ["meta", ...SPEC_SECTIONS] as ["meta", ...SpecSection[]];

const source = z
  .union([
    z.strictObject({ kind: z.literal("base_branch"), path: z.string() }),
    z.strictObject({ kind: z.literal("run"), run_id: z.string() }),
    z.strictObject({ kind: z.literal("call") }),
  ])
  .describe("Where the artifact was read: on the base branch, in the records of a run, or in the call.");

/** Only a person's answer makes a decision canonical, and only an interview delegates one. */
const CONFIDENCES = ["inferred", "provisional", "blocking"] as const;

const draft = z.strictObject({
  ...decisionDraft.omit({ confidence: true }).shape,
  confidence: z.enum(CONFIDENCES).describe("canonical and delegated decisions come from a person, so no call can append one."),
});

const witness = z.strictObject({
  name: z.string(),
  description: z.string(),
  level: z.enum(WITNESS_LEVELS),
  invariants: z.array(z.strictObject({ id: z.string(), level: z.enum(WITNESS_LEVELS) })),
  definition: witnessSchema.nullable(),
});

const violation = z.strictObject({ pointer: z.string(), rule: z.string(), expected: z.string() });

/** The tools of the artifact server. They read what is committed and recorded, never a file that a run writes for people. */
export function artifactTools(session: ServerSession): readonly AnyTool[] {
  const { tool } = openGuard(ARTIFACT_SERVER, session);
  return [
    tool({
      name: "read_spec_section",
      kind: "read",
      description: `Returns one section of the specification, as JSON. Sections: ${sections.join(", ")}.`,
      input: z.strictObject({ section: z.enum(sections) }),
      output: z.strictObject({ section: z.enum(sections), version: z.string(), source, value: z.unknown() }),
      call: async (kernel, { section }) => {
        const { source: from, spec } = await readCommittedSpec(kernel);
        return { data: { section, version: spec.meta.version, source: from, value: spec[section] } };
      },
    }),
    tool({
      name: "append_decision",
      kind: "mutating",
      description: "Appends one decision to the ledger of the run that is under way, in one transaction. Entries never change afterwards.",
      input: z.strictObject({ decision: draft }),
      output: z.strictObject({ run_id: z.string(), decision: decisionSchema }),
      call: async (kernel, { decision }, call) => {
        const work = await newestWork(kernel);
        if (work === null || work.isFinished) throw noRun();
        return { data: { run_id: work.runId, decision: await kernel.decisions.append(call, scopeOf(work), decision) } };
      },
    }),
    tool({
      name: "get_type_witness",
      kind: "read",
      description: "Returns the definition of a type witness of the newest run: its base type, invariants, constructors and level.",
      input: z.strictObject({ name: z.string().max(200) }),
      output: z.strictObject({ source, witness }),
      call: async (kernel, { name }) => {
        const work = await newestWork(kernel);
        const known = work?.artifacts.witnesses ?? [];
        const found = known.find((one) => one.name === name);
        if (work === null || found === undefined) throw noWitness(known.map((one) => one.name));
        return { data: { source: { kind: "run" as const, run_id: work.runId }, witness: found } };
      },
    }),
    tool({
      name: "validate_schema",
      kind: "read",
      description: `Validates a committed artifact, or a text given in the call, against the JSON schema of its kind. Kinds: ${ARTIFACT_KIND_NAMES.join(", ")}.`,
      input: z.strictObject({
        artifact: z.enum(ARTIFACT_KIND_NAMES),
        text: z.string().max(MAX_SPEC_BYTES).optional().describe("A draft to validate instead of the committed artifact."),
      }),
      output: z.strictObject({ artifact: z.enum(ARTIFACT_KIND_NAMES), valid: z.boolean(), source, violations: z.array(violation) }),
      call: async (kernel, { artifact, text }) => {
        const { source: from, violations } = text === undefined ? await ofCommitted(kernel, artifact) : ofText(artifact, text);
        return { data: { artifact, valid: violations.length === 0, source: from, violations: violations.slice(0, MOST_VIOLATIONS) } };
      },
    }),
  ];
}

const MOST_VIOLATIONS = 200;

interface ArtifactVerdict {
  readonly source: ArtifactSource | { readonly kind: "call" };
  readonly violations: ArtifactViolation[];
}

async function ofCommitted(kernel: Kernel, artifact: ArtifactKindName): Promise<ArtifactVerdict> {
  const found = await artifactKind(artifact).committed(kernel);
  if (found === null) throw missingArtifact(`No artifact of the kind ${artifact} is committed.`, "Give its text in the call.");
  return { source: found.source, violations: artifactViolations(artifact, found.value) };
}

function ofText(artifact: ArtifactKindName, text: string): ArtifactVerdict {
  const read = readArtifactText(artifact, text);
  return { source: { kind: "call" }, violations: "violation" in read ? [read.violation] : artifactViolations(artifact, read.value) };
}

function noRun(): SlipwayError {
  return new SlipwayError("run_not_found", "There is no run under way to whose ledger a decision could be appended. Nothing was stored.", {
    suggested_next_actions: ["Start a run: `slipway criticality`."],
  });
}

function noWitness(known: readonly string[]): SlipwayError {
  return missingArtifact(
    "There is no type witness of that name.",
    known.length === 0 ? "The newest run has recorded no witness yet." : `Ask for one of ${known.join(", ")}.`,
  );
}
