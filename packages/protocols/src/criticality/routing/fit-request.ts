import type { PackItem } from "@slipway/agents/pack";
import { SKILL_PROMPTS } from "../models/prompts.ts";
import { SKILLS, type PlayedAlias, type SkillName } from "../models/skills.ts";
import { chunksFor, type AuditedFile } from "./chunks.ts";
import { contextOverflow, fitContext, type SectionKind } from "./context.ts";
import { estimateTokens } from "./tokens.ts";

/** The artifacts without one section, and without those of the cuts before. */
export interface PromptCut {
  readonly kind: SectionKind;
  readonly artifacts: readonly PackItem[];
}

/** An artifact that an audit may see in parts. */
export interface ChunkedArtifact {
  readonly kind: PackItem["kind"];
  readonly files: readonly AuditedFile[];
}

export interface FittedPrompt {
  readonly skill: SkillName;
  readonly alias: PlayedAlias;
  readonly artifacts: readonly PackItem[];
  /** In the order of removal. By default definitions of types are left out. */
  readonly cuts?: readonly PromptCut[];
  readonly chunked?: ChunkedArtifact;
}

/** What to ask, and whom: one list of artifacts, or one for each part of an audit. */
export interface PromptFit {
  readonly alias: PlayedAlias;
  readonly parts: readonly (readonly PackItem[])[];
}

/** Kinds of artifacts that define types. */
const TYPES: ReadonlySet<string> = new Set(["definitions", "witnesses"]);

/** Makes a prompt fit the limits of a model. One that is within them stays as it is. Throws `context_overflow` if nothing helps. */
export function fitRequest({ skill, alias, artifacts, cuts = cutTypes(artifacts), chunked }: FittedPrompt): PromptFit {
  const { task, aliases } = SKILLS[skill];
  const instructions = estimateTokens(SKILL_PROMPTS[skill]);
  const versions = [artifacts, ...cuts.map((cut) => cut.artifacts)];
  const sizes = versions.map(sizeOf);
  const sections = cuts.map(({ kind }, index) => ({ kind, tokens: (sizes[index] ?? 0) - (sizes[index + 1] ?? 0) }));
  const kept = { kind: "systemPrompt" as const, tokens: (sizes.at(-1) ?? 0) + instructions };
  const fit = fitContext(task, alias, [...sections, kept], aliases);
  if (fit.as !== "chunked") return { alias: fit.role, parts: [versions[sections.length + 1 - fit.sections.length] ?? artifacts] };
  const others = artifacts.filter(({ kind }) => kind !== chunked?.kind);
  const reserved = sizeOf(others) + instructions;
  const pieces = chunked === undefined ? [] : chunksFor(task, chunked.files, { role: fit.role, tokensOf: estimateTokens, reserved });
  const parts = pieces.map((part) =>
    artifacts.map((item) => (item.kind === chunked?.kind ? { ...item, text: textOf(chunked, part) } : item)),
  );
  if (parts.length === 0) throw contextOverflow((sizes[0] ?? 0) + instructions, fit.role);
  return { alias: fit.role, parts };
}

function sizeOf(artifacts: readonly PackItem[]): number {
  return artifacts.reduce((sum, { title, text }) => sum + estimateTokens(title) + estimateTokens(text), 0);
}

function cutTypes(artifacts: readonly PackItem[]): PromptCut[] {
  const others = artifacts.filter(({ kind }) => !TYPES.has(kind));
  return others.length === artifacts.length ? [] : [{ kind: "requiredTypes", artifacts: others }];
}

function textOf({ files }: ChunkedArtifact, pieces: ReturnType<typeof chunksFor>[number]): string {
  const lines = new Map(files.map((file) => [file.path, file.lines]));
  return pieces.map(({ path, from, to }) => (lines.get(path) ?? []).slice(from - 1, to).join("\n")).join("\n\n");
}
