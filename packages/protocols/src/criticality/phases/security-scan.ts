import type { LanguageAdapter, SourceTree } from "@slipway/languages/adapter";
import type { ScannerReport } from "@slipway/languages/analysis/security";
import { parseSources } from "../lattice/lattice.ts";
import { CRITICALITY_STEPS } from "../steps.ts";
import type { Work } from "../work.ts";
import type { PhaseSession } from "./session.ts";

export interface ProgramFinding {
  readonly rule: string;
  readonly severity: string;
  /** `PATH:LINE`, or the scanner for a finding in no file. */
  readonly location: string;
  readonly message: string;
}

/** The scan of the whole program: by rules of the adapter, and by the language's own scanners where they are installed. */
export interface ProgramScan {
  readonly findings: readonly ProgramFinding[];
  /** Scanners that have answered. */
  readonly ran: readonly string[];
  readonly notRun: readonly { readonly tool: string; readonly reason: string }[];
}

const NOTHING_RAN: ScannerReport = { findings: [], ran: [], missing: [], failed: [] };

/** Recorded: a later version, or another machine, may find something else in the same source. */
export async function scanProgram({ run, tools }: PhaseSession, round: number, tree: SourceTree): Promise<ProgramScan> {
  const { language } = run.services;
  const own = await run.ctx.step(`scan:${round}`, async () => scanSources(tree, language));
  const { findings, ran, missing, failed } = await run.ctx.step(CRITICALITY_STEPS.scanners.named(round), async (signal) => {
    const { scanProject } = language;
    if (scanProject === undefined) return NOTHING_RAN;
    const scanner = { sandbox: await tools.sandbox(), signal, network: run.config.orchestrator.scan_dependencies };
    return tools.folders.withTree(tree, (folder) => scanProject(folder, scanner));
  });
  return {
    findings: [
      ...own,
      ...findings.map(({ tool, file, line, rule, severity, message }) => ({
        rule,
        severity,
        location: file === null ? tool : `${file}:${line}`,
        message,
      })),
    ],
    ran,
    notRun: [...missing.map(({ tool, install }) => ({ tool, reason: `not installed: ${install}` })), ...failed],
  };
}

function scanSources(tree: SourceTree, language: LanguageAdapter): ProgramFinding[] {
  return [...parseSources(tree, language)].flatMap(([path, ast]) =>
    language.scan(ast).map(({ rule, severity, line, message }) => ({ rule, severity, location: `${path}:${line}`, message })),
  );
}

/** High and critical findings that no person has accepted. */
export function graveFindings({ findings }: ProgramScan, { acceptedRisks }: Pick<Work, "acceptedRisks">): ProgramFinding[] {
  return findings.filter(
    ({ rule, severity, location }) => /^(?:high|critical)$/.test(severity) && !acceptedRisks.includes(`${rule} ${location}`),
  );
}
