import type { MissingTool, ToolRun } from "../adapter.ts";

export const SEVERITIES = ["low", "medium", "high", "critical"] as const;

export interface SecurityFinding {
  readonly rule: string;
  readonly severity: (typeof SEVERITIES)[number];
  readonly line: number;
  readonly message: string;
}

/** A finding of an external scanner, in a file of the project or in one of its dependencies. */
export interface ScannerFinding extends SecurityFinding {
  readonly tool: string;
  readonly file: string | null;
}

export interface ScannerReport {
  readonly findings: readonly ScannerFinding[];
  /** Names of the scanners that have answered. */
  readonly ran: readonly string[];
  readonly missing: readonly MissingTool[];
  /** Installed, and without an answer. */
  readonly failed: readonly { readonly tool: string; readonly reason: string }[];
}

export interface ScannerRun extends ToolRun {
  /** Whether scanners that need the network may use it. */
  readonly network?: boolean;
}
