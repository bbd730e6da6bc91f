/** A part of the program, and the tests that have to notice when one of its lines is broken. */
export interface Room {
  readonly name: string;
  readonly package: string;
  /** Below the package. Test files and `testing` folders are left out. */
  readonly sources: readonly string[];
  /** Filters of Vitest, tried in this order until one fails. */
  readonly tests: readonly (readonly string[])[];
}

const room = (name: string, owner: string, sources: readonly string[], ...tests: readonly (readonly string[])[]): Room => ({
  name,
  package: owner,
  sources: sources.map((path) => `src/${path}`),
  tests: tests.map((some) => some.map((path) => `src/${path}`)),
});

/** No line of these may be broken without a test that fails. */
export const SAFETY_CRITICAL: readonly Room[] = [
  room("approvals", "kernel", ["change/land/approvals"], ["change/land"]),
  room("locks", "kernel", ["change/turn/locks"], ["change/turn/locks"], ["change/turn"]),
  room(
    "merge",
    "kernel",
    ["change/land/merge.ts", "change/land/merge-checks.ts", "change/land/candidate.ts", "host/git/merge.ts"],
    ["change/land", "host/git/merge"],
  ),
  room("door", "kernel", ["record/operations"], ["record/operations"]),
  room("lease", "durable", ["lease.ts", "journal.ts", "chain.ts"], ["."]),
  room("run lease", "kernel", ["record/run-lease"], ["record/run-lease"]),
  room("sandbox", "kernel", ["host/sandbox"], ["host/sandbox"]),
  room("redaction", "kernel", ["host/redaction"], ["host/redaction"]),
  room("gates", "kernel", ["change/judge/gates", "change/judge/gate.ts"], ["change/judge/gates"], ["change/judge"]),
  room("plans", "kernel", ["change/plan", "paths"], ["change/plan", "paths"]),
  room("budget", "kernel", ["budget"], ["budget"]),
  room("decisions", "kernel", ["record/decisions"], ["record/decisions"]),
  room("evidence", "kernel", ["change/judge/evidence"], ["change/judge", "change/land"]),
  room("evidence ledger of forge", "protocols", ["forge/ledger", "forge/router"], ["forge/ledger", "forge/router"], ["forge"]),
  room("decisions of crew", "protocols", ["crew/decisions"], ["crew/decisions"], ["crew"]),
];

/** Sampled over all protocols. */
export const PROTOCOLS: readonly Room[] = ["features", "factory", "criticality", "forge", "crew", "change", "dispatch", "firewall"].map(
  (name) => room(name, "protocols", [name], [name]),
);
