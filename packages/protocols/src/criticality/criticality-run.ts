import type { PackItem } from "@slipway/agents/pack";
import type { Ctx } from "@slipway/durable/ctx";
import type { LanguageAdapter } from "@slipway/languages/adapter";
import type { z } from "zod";
import type { ChangeServices } from "../change/services.ts";
import type { CriticalityConfig } from "./config/config.ts";
import type { PlayedAlias, SkillName } from "./models/skills.ts";
import type { ChunkedArtifact, PromptCut } from "./routing/fit-request.ts";
import type { CriticalityPhase } from "./routing/roles.ts";
import type { RunFiles } from "./files/run-files.ts";
import type { Ledger } from "./ledger/ledger.ts";

/** One question to a model: a skill, and the artifacts it may see. */
export interface SkillRequest<T> {
  readonly phase: CriticalityPhase;
  readonly skill: SkillName;
  readonly alias: PlayedAlias;
  /** Of `[models]`, where it may name another model than the alias. */
  readonly modelKey?: string | undefined;
  /** The function, cluster or document it is about; part of the cassette's file name. */
  readonly subject: string;
  readonly attempt: string;
  readonly artifacts: readonly PackItem[];
  readonly schema: z.ZodType<T>;
  /** What may be left out of a prompt that is too long for the model, in the order of removal. */
  readonly cuts?: readonly PromptCut[];
  /** How an audit that fits no model is split, and how the answers to its parts become one. */
  readonly chunked?: ChunkedArtifact & { combine(answers: readonly T[]): T };
}

export interface CriticalityServices extends ChangeServices {
  readonly language: LanguageAdapter;
}

/** A run of the protocol, as its phases see it. */
export interface CriticalityRun {
  readonly ctx: Ctx;
  readonly services: CriticalityServices;
  readonly config: CriticalityConfig;
  /** The id of the change that the run delivers, from the system's name. */
  readonly id: string;
  readonly files: RunFiles;
  readonly ledger: Ledger;
  /**
   * Asks a model under the step `name`. The answer fits the schema. A model that gives none within its repairs is asked about by a
   * question, and the run waits.
   */
  askModel<T>(name: string, request: SkillRequest<T>): Promise<T>;
  /** Milliseconds since 1970, recorded under the step `name`, so that a replay sees the same time. */
  now(name: string): Promise<number>;
}
