import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { z } from "zod";
import { CASSETTE_FILE, entryPath } from "@slipway/agents/cassette";
import type { structuredClaimSchema } from "@slipway/languages/property-tests/claim";

/** One answer of a role. */
export interface Said {
  readonly role: "architect" | "auditor" | "structurer" | "worker";
  readonly subject: string;
  readonly attempt: string;
  readonly output: unknown;
}

/** A body by the role of the tier at work; the worker by default. */
export interface Attempted {
  readonly by?: Said["role"];
  readonly body: string;
}

export type Structured = z.input<typeof structuredClaimSchema> & { readonly id: string };

export const plain = { testable: true, requires_mocking: [], suggested_generators: [] };

const AUDITORS = ["temporal", "resource", "invariant", "precondition"];

/** Auditors that find nothing in a lattice. */
export function noContradictions(round: number): Said[] {
  return AUDITORS.map((subject) => ({ role: "auditor", subject, attempt: String(round), output: { contradictions: [] } }));
}

/** Bodies by function, in the order of their attempts. */
export function bodies(visit: number, of: Readonly<Record<string, readonly Attempted[]>>): Said[] {
  return Object.entries(of).flatMap(([subject, attempts]) =>
    attempts.map(({ by = "worker", body }, index): Said => ({ role: by, subject, attempt: `${visit}.${index + 1}`, output: { body } })),
  );
}

/** The structured claims of a cluster, all of which the auditor accepts. */
export function cluster(subject: string, claims: readonly Structured[]): Said[] {
  const verdicts = claims.map(({ id }) => ({ id, faithful: true, reason: "The test says what the claim says." }));
  return [
    { role: "structurer", subject, attempt: "1", output: { claims } },
    { role: "auditor", subject, attempt: "1", output: { verdicts } },
  ];
}

/** The worker's answer to a pattern of the catalog: the function in another form. */
export function transformed(subject: string, attempt: string, text: string): Said {
  return { role: "worker", subject, attempt, output: { outcome: "transformed", function: text, declarations: [] } };
}

/** The worker's answer that a guard of the pattern applies. */
export function guarded(subject: string, attempt: string, guard: string): Said {
  return { role: "worker", subject, attempt, output: { outcome: "guarded", guard } };
}

/** Writes the answers of a program into a folder. Prompts contain the time, so they have no digests. */
export function writeCassette(folder: string, description: string, said: readonly Said[]): void {
  rmSync(folder, { recursive: true, force: true });
  const put = (path: string, value: unknown) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${JSON.stringify(value, null, 2)}\n`);
  };
  put(CASSETTE_FILE, { version: 1, created: "2026-11-18", description });
  for (const { role, subject, attempt, output } of said) {
    const entry = { role, subject, attempt, repair: 0, prompt_digest: null, model: null, output };
    put(entryPath(entry), entry);
  }
}
