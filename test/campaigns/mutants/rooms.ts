/** A part of the program, and the tests that have to notice when one of its lines is broken. */
export interface Room {
  readonly name: string;
  readonly package: string;
  /** Below the checkout; of a folder, what `isSource` takes. */
  readonly sources: readonly string[];
  /** How paths of test files of the same package begin, besides those that import the source. */
  readonly tests: readonly string[];
}

/** No test, no benchmark, and nothing that only tests use. */
export const isSource = (path: string): boolean => path.endsWith(".ts") && !/\.(?:test|bench|d)\.ts$|\/(?:testing|bench)\//.test(path);

const room = (name: string, owner: string, sources: readonly string[], tests: readonly string[] = sources): Room => ({
  name,
  package: owner,
  sources: sources.map((path) => `packages/${owner}/src/${path}`),
  tests: tests.map((path) => `packages/${owner}/src/${path}`),
});

/** No line of these may be broken without a test that fails. */
export const SAFETY_CRITICAL: readonly Room[] = [
  room("approvals", "kernel", ["change/land/approvals", "change/land/approval-holding.ts", "change/land/proposal.ts"], ["change/land"]),
  room("locks", "kernel", ["change/turn/locks"], ["change/turn"]),
  room(
    "merge",
    "kernel",
    [
      "change/land/merge.ts",
      "change/land/merge-checks.ts",
      "change/land/merge-message.ts",
      "change/land/candidate.ts",
      "host/git/merge.ts",
    ],
    [
      "change/land",
      "change/judge/findings",
      "change/judge/qa-operations",
      "change/work/repo-operations",
      "change/work/hand-work",
      "host/git/merge",
    ],
  ),
  room("door", "kernel", ["record/operations"]),
  room("lease", "durable", ["lease.ts", "journal.ts", "chain.ts"], [""]),
  room("run lease", "kernel", ["record/run-lease"]),
  room("facts", "kernel", ["record/facts", "record/journal"]),
  room("files", "kernel", ["host/files/beneath.ts", "host/files/private-folder.ts", "host/files/remove-tree.ts"], ["host/files"]),
  room("sandbox", "kernel", ["host/sandbox"]),
  room("redaction", "kernel", ["host/redaction"]),
  room("rights", "kernel", ["config/rbac.ts"], ["config", "tools"]),
  room("gates", "kernel", ["change/judge/gates", "change/judge/gate.ts"], ["change/judge"]),
  room("canary", "kernel", ["change/judge/canary"]),
  room("plans", "kernel", ["change/plan", "paths"]),
  room("budget", "kernel", ["budget"]),
  room("decisions", "kernel", ["record/decisions"]),
  room("evidence", "kernel", ["change/judge/evidence"], ["change/judge", "change/land"]),
  room("evidence of contracts", "languages", ["contracts"]),
  room("artifacts of factory", "protocols", ["factory/artifacts", "factory/sealed-files.ts"], ["factory"]),
  room("ledger of criticality", "protocols", ["criticality/ledger"]),
  room("ledger of forge", "protocols", ["forge/ledger", "forge/router"], ["forge"]),
  room("decisions of crew", "protocols", ["crew/decisions"], ["crew"]),
];

/** Sampled over all protocols. */
export const PROTOCOLS: readonly Room[] = ["features", "factory", "criticality", "forge", "crew", "change", "dispatch", "firewall"].map(
  (name) => room(name, "protocols", [name]),
);
