import type { Guard } from "./guards.ts";
import {
  and,
  archive,
  ask,
  at,
  BLOCK,
  blockedBy,
  COMPILE,
  DESTROY,
  exists,
  not,
  notify,
  or,
  PERSIST,
  record,
  row,
  said,
  sequence,
} from "./transition.ts";
import type { Transition, TransitionAction } from "./transition.ts";

const compiles: Guard = { type: "compileSuccess" };
const clean: Guard = { type: "noContradictions" };

const INTERVIEW = ask("architect_model", "conduct_interview");
const SYNTHESIZE = ask("architect_model", "synthesize_spec");
const STRUCTURE = ask("structurer_model", "scaffold_module");

const approved = (response: string, ...first: TransitionAction[]) =>
  row(
    at("ignition.awaitingApproval"),
    at("lattice.generatingStructure"),
    and(said(response), exists("spec")),
    sequence(...first, archive("interview", "proposals"), DESTROY, PERSIST, notify("phase_change"), STRUCTURE),
  );

export const IGNITION: readonly Transition[] = [
  row(at("ignition.interviewing"), at("ignition.synthesizing"), exists("allAnswers"), sequence(PERSIST, SYNTHESIZE)),
  ...["delegate", "delegate_with_notes"].map((response) =>
    row(
      at("ignition.interviewing"),
      at("ignition.synthesizing"),
      and(said(response), exists("requiredAnswers")),
      sequence(record("design_delegation"), PERSIST, SYNTHESIZE),
    ),
  ),
  // Also a delegation that came too early: the next required question is asked.
  row(
    at("ignition.interviewing"),
    at("ignition.interviewing"),
    or(exists("answer"), said("delegate"), said("delegate_with_notes")),
    sequence(PERSIST, INTERVIEW),
  ),
  row(at("ignition.synthesizing"), at("ignition.awaitingApproval"), exists("revisedProposal"), PERSIST),
  row(at("ignition.synthesizing"), at("ignition.synthesizing"), or(exists("proposal"), exists("challenge")), sequence(PERSIST, SYNTHESIZE)),
  approved("approve"),
  approved("conditional", record("approval_condition")),
  // Approved, but the specification made from it is not valid.
  row(
    at("ignition.awaitingApproval"),
    at("ignition.synthesizing"),
    and(or(said("approve"), said("conditional")), not(exists("spec"))),
    sequence(PERSIST, SYNTHESIZE),
  ),
  row(at("ignition.awaitingApproval"), at("ignition.interviewing"), said("revise"), sequence(PERSIST, INTERVIEW)),
  row(
    at("ignition.awaitingApproval"),
    at("ignition.interviewing"),
    said("reject"),
    sequence(archive("interview", "proposals"), PERSIST, INTERVIEW),
  ),
];

export const LATTICE: readonly Transition[] = [
  row(at("lattice.generatingStructure"), at("lattice.compilingCheck"), exists("lattice"), sequence(PERSIST, COMPILE)),
  row(at("lattice.generatingStructure"), at("lattice.generatingStructure"), exists("module"), sequence(PERSIST, STRUCTURE)),
  row(
    at("lattice.compilingCheck"),
    at("compositionAudit.auditing"),
    compiles,
    sequence(DESTROY, PERSIST, notify("phase_change"), ask("auditor_model", "audit_composition")),
  ),
  row(at("lattice.compilingCheck"), at("lattice.repairingStructure"), not(compiles), sequence(PERSIST, STRUCTURE)),
  row(at("lattice.repairingStructure"), blockedBy("structural_defect"), { type: "repairAttemptsExhausted" }, BLOCK),
  row(at("lattice.repairingStructure"), at("lattice.compilingCheck"), exists("repair"), sequence(PERSIST, COMPILE)),
];

export const COMPOSITION_AUDIT: readonly Transition[] = [
  row(
    at("compositionAudit.auditing"),
    at("injection.selectingFunction"),
    and(exists("auditReport"), clean),
    sequence(DESTROY, PERSIST, notify("phase_change"), COMPILE),
  ),
  row(at("compositionAudit.auditing"), at("compositionAudit.reportingContradictions"), and(exists("auditReport"), not(clean)), PERSIST),
  row(
    at("compositionAudit.auditing"),
    at("compositionAudit.auditing"),
    exists("findings"),
    sequence(PERSIST, ask("auditor_model", "audit_composition")),
  ),
  row(
    at("compositionAudit.reportingContradictions"),
    at("ignition.interviewing"),
    exists("resolvableReport"),
    sequence(record("auditor_contradiction"), DESTROY, PERSIST, notify("phase_change"), INTERVIEW),
  ),
  row(
    at("compositionAudit.reportingContradictions"),
    blockedBy("unresolved_contradiction"),
    not(exists("resolvableReport")),
    sequence(record("auditor_contradiction"), BLOCK),
  ),
];
