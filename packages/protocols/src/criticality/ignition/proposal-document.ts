import type { SystemSpec } from "../spec/schema.ts";
import type { ProposalChallenge, SpecProposal } from "./proposal.ts";
import { shown } from "./resume-summary.ts";

const WHOLE = 100_000;

/** The whole proposal as Markdown. Every text is on one line of a list, so none can imitate another part. */
export function proposalDocument({ version, spec, rationale, decisions, challenges }: SpecProposal): string {
  return [
    `# Proposal ${version}: ${line(spec.system.name)}`,
    `Version ${spec.meta.version} of the specification, domain ${line(spec.meta.domain)}.`,
    `- ${line(spec.system.description)}\n- Why: ${line(rationale)}`,
    section("Features", Object.entries(spec.features).map(featureLine)),
    section("External systems", spec.boundaries.external_systems),
    section("Trust boundaries", spec.boundaries.trust_boundaries),
    section("Data models", Object.entries(spec.data_models).map(modelLine)),
    section("Interfaces", Object.entries(spec.interfaces).flatMap(methodLines)),
    section("Functional constraints", spec.constraints.functional),
    section("Non-functional constraints", spec.constraints.non_functional),
    section("Security constraints", spec.constraints.security),
    section("Claims", Object.entries(spec.claims).map(claimLine)),
    section(
      "Decided by the architect",
      decisions.map(({ constraint, rationale: why }) => `${constraint} (${why})`),
    ),
    section("Challenged by the auditor", challenges.map(challengeLine)),
  ].join("\n\n");
}

function section(title: string, entries: readonly string[]): string {
  return `## ${title}\n\n${entries.length === 0 ? "None." : entries.map((entry) => `- ${line(entry)}`).join("\n")}`;
}

function featureLine([id, { classification, description, affects }]: [string, SystemSpec["features"][string]]): string {
  return `${id}, ${classification}: ${description}${affects.length === 0 ? "" : ` (affects ${affects.join(", ")})`}`;
}

function modelLine([name, { fields }]: [string, SystemSpec["data_models"][string]]): string {
  const parts = fields.map(
    (field) => `${field.name}: ${field.type}${field.constraints.length === 0 ? "" : ` [${field.constraints.join(", ")}]`}`,
  );
  return `${name} { ${parts.join("; ")} }`;
}

function methodLines([name, { methods }]: [string, SystemSpec["interfaces"][string]]): string[] {
  return methods.map((method) => `${name}.${method.name}(${method.params.join(", ")}) → ${method.returns}`);
}

function claimLine([id, { text, type, testable }]: [string, SystemSpec["claims"][string]]): string {
  return `${id}, ${type}${testable ? "" : ", not testable"}: ${text}`;
}

function challengeLine({ id, severity, section: where, problem, outcome, explanation }: ProposalChallenge): string {
  return `${id}, ${severity}, ${where}: ${problem} → ${outcome}${explanation === "" ? "" : `: ${explanation}`}`;
}

function line(text: string): string {
  return shown(text, WHOLE);
}
