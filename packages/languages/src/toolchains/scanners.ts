import { z } from "zod";
import type { LanguageId, MissingTool } from "../adapter.ts";
import { SEVERITIES, type ScannerFinding, type SecurityFinding } from "../analysis/security.ts";
import { cargoMessages } from "../rust/compile.ts";

export interface SecurityScanner extends MissingTool {
  readonly program: string;
  readonly command: readonly string[];
  /** It compares dependencies with a public database. */
  readonly needsNetwork: boolean;
  /** Codes with which it ends after a scan, with or without findings. */
  readonly exitCodes: readonly number[];
  read(stdout: string): ScannerFinding[] | null;
}

const needed = { neededFor: "the full security scan" };
const severityOf = (text: string): SecurityFinding["severity"] => SEVERITIES.find((one) => one === text.toLowerCase()) ?? "medium";
const parsed = <T>(schema: z.ZodType<T>, text: string): T | null => {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};

const banditSchema = z.object({
  results: z.array(
    z.object({ filename: z.string(), line_number: z.number(), test_id: z.string(), issue_severity: z.string(), issue_text: z.string() }),
  ),
});
const safetySchema = z.object({
  vulnerabilities: z.array(z.object({ vulnerability_id: z.string(), package_name: z.string(), advisory: z.string().default("") })),
});
const gosecSchema = z.object({
  Issues: z
    .array(z.object({ file: z.string(), line: z.string(), rule_id: z.string(), severity: z.string(), details: z.string() }))
    .nullable()
    .transform((issues) => issues ?? []),
});
const auditSchema = z.object({
  vulnerabilities: z.object({
    list: z.array(z.object({ advisory: z.object({ id: z.string(), title: z.string() }), package: z.object({ name: z.string() }) })),
  }),
});
const npmSchema = z.object({ vulnerabilities: z.record(z.string(), z.object({ name: z.string(), severity: z.string() })) });
const eslintSchema = z.array(
  z.object({
    filePath: z.string(),
    messages: z.array(z.object({ ruleId: z.string().nullable(), line: z.number().default(1), message: z.string() })),
  }),
);

/** Lints of clippy about memory and the process; each is a warning by itself. */
const CLIPPY_LINTS = [
  "undocumented_unsafe_blocks",
  "multiple_unsafe_ops_per_block",
  "transmute_ptr_to_ptr",
  "mem_forget",
  "exit",
  "unwrap_in_result",
];

/** npm audit reads versions from a lock file. */
const NPM_LOCK = "npm install --package-lock-only --ignore-scripts --no-audit --no-fund";

/** The scanners of each language. They are optional: one that is missing is reported and never installed. */
export const SCANNERS: Readonly<Partial<Record<LanguageId, readonly SecurityScanner[]>>> = {
  rust: [
    {
      ...needed,
      tool: "cargo-audit",
      install: "cargo install cargo-audit",
      program: "cargo-audit",
      command: ["cargo", "audit", "--json"],
      needsNetwork: true,
      exitCodes: [0, 1],
      read: (text) =>
        parsed(auditSchema, text)?.vulnerabilities.list.map(({ advisory, package: { name } }) =>
          finding("cargo-audit", { rule: advisory.id, severity: "high", message: `${name}: ${advisory.title}` }),
        ) ?? null,
    },
    {
      ...needed,
      tool: "clippy",
      install: "rustup component add clippy",
      program: "cargo-clippy",
      command: [
        "cargo",
        "clippy",
        "--offline",
        "--message-format=json",
        "--",
        ...CLIPPY_LINTS.flatMap((lint) => ["-W", `clippy::${lint}`]),
      ],
      needsNetwork: false,
      exitCodes: [0],
      read: clippyFindings,
    },
  ],
  typescript: [
    {
      ...needed,
      tool: "npm audit",
      install: "It is part of npm.",
      program: "npm",
      command: ["sh", "-c", `test -f package-lock.json || ${NPM_LOCK} >&2; npm audit --json`],
      needsNetwork: true,
      exitCodes: [0, 1],
      read: npmFindings,
    },
    {
      ...needed,
      tool: "eslint-plugin-security",
      install: "npm install --save-dev eslint eslint-plugin-security",
      program: "eslint",
      command: ["eslint", "--format", "json", "."],
      needsNetwork: false,
      exitCodes: [0, 1],
      read: (text) =>
        parsed(eslintSchema, text)?.flatMap(({ filePath, messages }) =>
          messages
            .filter(({ ruleId }) => ruleId?.startsWith("security/") === true)
            .map(({ ruleId, line, message }) =>
              finding("eslint-plugin-security", { rule: ruleId ?? "", severity: "medium", line, message, file: filePath }),
            ),
        ) ?? null,
    },
  ],
  python: [
    {
      ...needed,
      tool: "bandit",
      install: "Debian: apt-get install bandit",
      program: "bandit",
      command: ["bandit", "-q", "-r", ".", "-f", "json"],
      needsNetwork: false,
      exitCodes: [0, 1],
      read: (text) =>
        parsed(banditSchema, text)?.results.map(({ filename, line_number, test_id, issue_severity, issue_text }) =>
          finding("bandit", {
            rule: test_id,
            severity: severityOf(issue_severity),
            line: line_number,
            message: issue_text,
            file: filename.replace(/^\.\//, ""),
          }),
        ) ?? null,
    },
    {
      ...needed,
      tool: "safety",
      install: "pip install safety",
      program: "safety",
      command: ["safety", "check", "--json"],
      needsNetwork: true,
      exitCodes: [0, 64],
      read: (text) =>
        parsed(safetySchema, text)?.vulnerabilities.map(({ vulnerability_id, package_name, advisory }) =>
          finding("safety", { rule: vulnerability_id, severity: "high", message: `${package_name}: ${advisory}` }),
        ) ?? null,
    },
  ],
  go: [
    {
      ...needed,
      tool: "gosec",
      install: "go install github.com/securego/gosec/v2/cmd/gosec@latest",
      program: "gosec",
      command: ["gosec", "-quiet", "-fmt", "json", "./..."],
      needsNetwork: false,
      exitCodes: [0, 1],
      read: (text) =>
        text.trim() === ""
          ? []
          : (parsed(gosecSchema, text)?.Issues.map(({ file, line, rule_id, severity, details }) =>
              finding("gosec", { rule: rule_id, severity: severityOf(severity), line: Number.parseInt(line, 10), message: details, file }),
            ) ?? null),
    },
    {
      ...needed,
      tool: "govulncheck",
      install: "go install golang.org/x/vuln/cmd/govulncheck@latest",
      program: "govulncheck",
      command: ["govulncheck", "./..."],
      needsNetwork: true,
      exitCodes: [0, 3],
      read: (text) =>
        [...text.matchAll(/^Vulnerability #\d+: (\S+)\n\s*(.+)$/gm)].map(([, rule = "", message = ""]) =>
          finding("govulncheck", { rule, severity: "high", message }),
        ),
    },
  ],
};

function finding(
  tool: string,
  { line = 1, file = null, ...rest }: Omit<SecurityFinding, "line"> & { line?: number; file?: string | null },
): ScannerFinding {
  return { tool, line, file, ...rest };
}

/** An error, such as a registry that does not answer, is JSON without vulnerabilities. */
function npmFindings(text: string): ScannerFinding[] | null {
  const found = parsed(npmSchema, text)?.vulnerabilities;
  if (found === undefined) return null;
  return Object.values(found).map(({ name, severity }) =>
    finding("npm audit", { rule: `npm-audit-${name}`, severity: severityOf(severity), message: `${name} has a known vulnerability` }),
  );
}

function clippyFindings(text: string): ScannerFinding[] {
  return cargoMessages(text).flatMap(({ message }) => {
    const rule = message?.code?.code;
    const place = message?.spans.find(({ is_primary }) => is_primary);
    if (message === undefined || rule?.startsWith("clippy::") !== true || !CLIPPY_LINTS.includes(rule.slice("clippy::".length))) return [];
    return [
      finding("clippy", {
        rule,
        severity: "medium",
        line: place?.line_start ?? 1,
        file: place?.file_name ?? null,
        message: message.message,
      }),
    ];
  });
}
