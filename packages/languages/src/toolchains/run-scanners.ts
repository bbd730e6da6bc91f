import type { LanguageId } from "../adapter.ts";
import type { ScannerFinding, ScannerReport, ScannerRun } from "../analysis/security.ts";
import { cargoEnvironment } from "../rust/compile.ts";
import { prepareRustProject } from "../rust/project.ts";
import { lastLines } from "./compile.ts";
import { programsOf, type LanguageMachine } from "./machine.ts";
import { runTool, whyStopped, type ToolOutcome } from "./run-tool.ts";
import { SCANNERS, type SecurityScanner } from "./scanners.ts";
import { inCopy } from "./work-folder.ts";

/** Runs the scanners of a language that are installed, each in the sandbox and on a copy. */
export async function runScanners(
  machine: LanguageMachine,
  language: LanguageId,
  sourcePath: string,
  run: ScannerRun,
): Promise<ScannerReport> {
  const programs = await programsOf(machine);
  const all = SCANNERS[language] ?? [];
  const missing = all.filter(({ program }) => programs.find(program) === null);
  const findings: ScannerFinding[] = [];
  const ran: string[] = [];
  const failed: { tool: string; reason: string }[] = [];
  for (const scanner of all.filter((one) => !missing.includes(one))) {
    const { tool, needsNetwork, read, exitCodes } = scanner;
    if (needsNetwork && run.network !== true) {
      failed.push({ tool, reason: "it compares dependencies with a database on the network, which this run does not use" });
      continue;
    }
    const outcome = await runScanner(machine, language, sourcePath, scanner, run);
    const found = exitCodes.includes(outcome.exitCode ?? -1) ? read(outcome.stdout) : null;
    if (found === null)
      failed.push({
        tool,
        reason: whyStopped(outcome, tool) ?? `it ended with ${outcome.exitCode}: ${lastLines(outcome.stderr.split("\n"))}`,
      });
    else {
      ran.push(tool);
      findings.push(...found);
    }
  }
  return { findings, ran, missing: missing.map(({ tool, neededFor, install }) => ({ tool, neededFor, install })), failed };
}

function runScanner(
  machine: LanguageMachine,
  language: LanguageId,
  sourcePath: string,
  { command, needsNetwork, program }: SecurityScanner,
  run: ScannerRun,
): Promise<ToolOutcome> {
  const { network: _network, ...tool } = run;
  return inCopy(sourcePath, async (folder) => {
    const isRust = language === "rust";
    if (isRust) await prepareRustProject(folder);
    const env = isRust ? { ...cargoEnvironment(folder, machine) } : {};
    return runTool({
      ...tool,
      machine,
      folder,
      command,
      env,
      network: needsNetwork,
      starts: [program, "python3"],
      ...(isRust ? { keeps: "rust" } : {}),
    });
  });
}
