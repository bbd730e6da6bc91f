import type { AuthoredAnswer } from "../demo-author.ts";

const FOCUSES = ["architecture", "impact", "dependencies", "patterns"] as const;
const MODELS = { security: "gpt-5.3-codex", architecture: "gemini-3-pro-preview", correctness: "claude-opus-4.6" } as const;
export type Focus = keyof typeof MODELS;

const completion = (summary: string, more: object = {}) => ({
  status: "DONE",
  summary,
  severity: null,
  findings_count: 0,
  risk_level: null,
  ...more,
});

export function say(subject: string) {
  const answer = (role: string, attempt: string, output: unknown, more: Partial<AuthoredAnswer> = {}): AuthoredAnswer => {
    return { role, subject, attempt, output, ...more };
  };
  return {
    research: (titles: Readonly<Record<(typeof FOCUSES)[number], string>>) =>
      FOCUSES.map((focus) =>
        answer("researcher", `${focus}.1`, {
          completion: completion(titles[focus]),
          payload: { summary: titles[focus], findings: [{ title: titles[focus], detail: titles[focus], files: ["src/scale.js"] }] },
        }),
      ),
    spec: (payload: object) =>
      answer("spec", "spec.1", { completion: completion("The specification."), payload: { pushback: [], ...payload } }),
    design: (round: number, payload: object) =>
      answer("designer", `r${round}.1`, { completion: completion(`The design, round ${round}.`), payload }),
    plan: (instance: string, risk: string, payload: object) =>
      answer("planner", `${instance}.1`, {
        completion: completion("The plan.", { risk_level: risk }),
        payload: { decisions: [], overall_risk_summary: risk, ...payload },
      }),
    implement: (instance: string, summary: string, files: Readonly<Record<string, string>>) =>
      answer("implementer", `${instance}.1`, {
        output: {
          completion: completion(summary),
          payload: {
            mode: "implement",
            summary,
            changes: Object.keys(files).map((path) => ({ path, summary })),
            self_check: { attempts: 1, passed: true },
          },
        },
        files: Object.entries(files).map(([path, content]) => ({ path, content })),
      }),
    revert: (instance: string, summary: string) =>
      answer("implementer", `${instance}.1`, {
        completion: completion(summary),
        payload: { mode: "revert", summary, changes: [], self_check: { attempts: 0, passed: false } },
      }),
    verify: (
      instance: string,
      counts: { readonly passed: number; readonly failed: number },
      criteria: readonly object[],
      findings: readonly object[] = [],
    ) => {
      const done = counts.failed === 0;
      const total_checks = counts.passed + counts.failed;
      return answer("verifier", `${instance}.1`, {
        completion: completion(done ? "Every check passed." : "A check fails.", {
          status: done ? "DONE" : "NEEDS_REVISION",
          findings_count: findings.length,
          evidence_summary: { total_checks, ...counts, security_blockers: 0 },
        }),
        payload: {
          verification_report: {
            evidence_gate: { total_checks, ...counts, gate_status: done ? "passed" : "failed" },
            findings,
            regressions: [],
            criteria,
          },
        },
      });
    },
    review: (
      scope: "design" | "code",
      focus: Focus,
      round: number,
      verdict: string,
      {
        findings = [],
        cited = [],
        repair = 0,
        risk = "🟡",
      }: { findings?: readonly Finding[]; cited?: readonly object[]; repair?: number; risk?: string } = {},
    ) => {
      const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length;
      const severity = ["Blocker", "Critical", "Major", "Minor"].find((name) => count(name) > 0) ?? null;
      return answer(
        "adversarial-reviewer",
        `${scope}-${focus}-r${round}.1`,
        {
          completion: completion(verdict === "approve" ? "Nothing stands in the way." : (findings[0]?.title ?? ""), {
            severity,
            findings_count: findings.length,
            risk_level: risk,
          }),
          payload: {
            verdict,
            confidence: "High",
            summary: verdict === "approve" ? "The work does what it should." : "The findings say what must change first.",
            findings_count: { blocker: count("Blocker"), critical: count("Critical"), major: count("Major"), minor: count("Minor") },
            findings,
            checks_cited: cited,
          },
        },
        { model: MODELS[focus], repair },
      );
    },
    learn: (payload: object) =>
      answer("knowledge-agent", "knowledge.1", { completion: completion("What later runs should know."), payload }),
  };
}

export interface Finding {
  readonly title: string;
  readonly severity: string;
  readonly category: string;
  readonly description: string;
  readonly affected_artifacts: readonly string[];
  readonly recommendation: string;
  readonly evidence: string;
}
