import { SlipwayError } from "@slipway/agents/errors";
import { z } from "zod";
import { PHASES, ROLE_ALIASES } from "../routing/roles.ts";
import { stateSchema, subStateName, type CriticalityState } from "./states.ts";

export const STATE_FILE = "state.json";
export const STATE_VERSION = "1.0.0";

const count = z.int().min(0);

const pending = z.strictObject({
  modelCall: z.strictObject({ role: z.string(), prompt: z.string() }).nullable(),
  compilerRun: z.boolean(),
  testRun: z.strictObject({ scope: z.string() }).nullable(),
});

const metrics = z.strictObject({
  totalModelCalls: count,
  modelCallsByRole: z.partialRecord(z.enum(ROLE_ALIASES), count),
  totalCompilations: count,
  totalTestRuns: count,
  escalations: z.array(z.strictObject({ function: z.string(), from: z.string(), to: z.string(), reason: z.string() })),
  phaseDurations: z.partialRecord(z.enum(PHASES), z.number().min(0)),
  estimatedCost: z.number().min(0),
});

export type RunMetrics = z.output<typeof metrics>;

/** The state of a run as a file for people and tools. */
export const stateFileSchema = z.strictObject({
  version: z.literal(STATE_VERSION),
  projectId: z.string(),
  protocolState: stateSchema,
  artifacts: z.strictObject({
    spec: z.string().nullable(),
    lattice: z.string().nullable(),
    tests: z.string().nullable(),
    archive: z.array(z.string()),
  }),
  ledgerPath: z.string(),
  phaseProgress: z.strictObject({ phase: z.string(), subState: z.string() }).nullable(),
  pending,
  metrics,
  createdAt: z.iso.datetime(),
  lastCheckpoint: z.iso.datetime(),
});

export type StateFile = z.output<typeof stateFileSchema>;

export type StateFileParts = Pick<
  StateFile,
  "projectId" | "protocolState" | "artifacts" | "pending" | "metrics" | "createdAt" | "lastCheckpoint"
>;

export const NOTHING_PENDING: StateFile["pending"] = { modelCall: null, compilerRun: false, testRun: null };

/** Metrics of a run that has done nothing yet. */
export function noMetrics(): RunMetrics {
  return {
    totalModelCalls: 0,
    modelCallsByRole: {},
    totalCompilations: 0,
    totalTestRuns: 0,
    escalations: [],
    phaseDurations: {},
    estimatedCost: 0,
  };
}

export function stateFile(parts: StateFileParts): StateFile {
  return { version: STATE_VERSION, ...parts, ledgerPath: "ledger.toml", phaseProgress: progressOf(parts.protocolState) };
}

function progressOf(state: CriticalityState): StateFile["phaseProgress"] {
  if (state.type !== "active") return null;
  const [phase = "", subState = ""] = subStateName(state).split(".");
  return { phase, subState };
}

export function printStateFile(file: StateFile): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** Refuses to continue over a state file of another version. A file without a version is no state file, and is written again. */
export function assertStateVersion(text: string, path: string): void {
  const { version } = versionIn(text);
  if (version !== undefined && version !== STATE_VERSION) throw otherVersion(path, version);
}

function versionIn(text: string): { readonly version?: unknown } {
  try {
    return z.looseObject({ version: z.unknown() }).safeParse(JSON.parse(text)).data ?? {};
  } catch {
    return {};
  }
}

function otherVersion(path: string, version: unknown): SlipwayError {
  return refused(path, `has the version ${JSON.stringify(version) ?? "(none)"}; this Slipway reads ${STATE_VERSION}.`);
}

function refused(path: string, why: string): SlipwayError {
  return new SlipwayError("config_invalid", `${path} ${why}`, {
    file: path,
    suggested_next_actions: ["Resume the run with the Slipway that wrote the file, or start a new run."],
  });
}
