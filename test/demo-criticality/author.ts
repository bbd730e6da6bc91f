// Writes the cassette of `slipway demo criticality`: `npm run record:demo-criticality`.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { CASSETTE_FILE, entryPath } from "@slipway/agents/cassette";
import { FIRST_BODIES, SECOND_BODIES, type Attempted } from "./bodies.ts";
import { CLAIMS } from "./claims.ts";
import { skeleton, WITNESSES } from "./skeleton.ts";
import { CONTRADICTION, FEATURES, specification } from "./specification.ts";
import { TRANSFORMS } from "./transforms.ts";

const ABOUT = {
  version: 1,
  created: "2026-11-18",
  description: "The answers of the criticality demo's roles, written by test/demo-criticality/author.ts.",
};

interface Said {
  readonly role: string;
  readonly subject: string;
  readonly attempt: string;
  readonly output: unknown;
}

const HOLE = 'throw new Error("hole");';
const AUDITORS = ["temporal", "resource", "invariant", "precondition"];

const saying =
  (role: string) =>
  (subject: string, attempt: string, output: unknown): Said => ({ role, subject, attempt, output });
const [architect, auditor, structurer] = [saying("architect"), saying("auditor"), saying("structurer")];

/** The interview, two proposals and two skeletons: the first has a contradiction. */
function beforeInjection(): Said[] {
  const challenge = {
    section: "claims",
    severity: "warning",
    problem: "No claim says what happens to a withdrawal that is larger than the balance.",
    suggestion: "Add a negative claim withdraw_001.",
  };
  const { withdraw_001: _missing, ...claims } = specification(false).claims;
  return [
    architect("discovery", "1.1.3", { features: FEATURES.discovery }),
    architect("architecture", "1.1.7", { features: FEATURES.architecture }),
    architect("constraints", "1.1.12", { features: [] }),
    architect("spec", "1.1.v1.propose", { ...specification(false), claims }),
    auditor("spec", "1.1.v1.audit", { challenges: [challenge] }),
    architect("spec", "1.1.v1.revise", {
      ...specification(false),
      responses: [{ challenge: "c1", outcome: "accepted", explanation: "The claim withdraw_001 is there now." }],
    }),
    ...["1.1", "2.1"].flatMap((attempt) => [
      structurer("witnesses", attempt, { witnesses: WITNESSES }),
      structurer("lattice", attempt, skeleton(HOLE)),
    ]),
    ...AUDITORS.map((name) => auditor(name, "1", { contradictions: name === "invariant" ? [CONTRADICTION] : [] })),
    architect("cross-check", "1", {
      verdicts: [{ id: "INVARIANT_001", holds: true, reason: "Both constraints apply to a frozen account." }],
    }),
    architect("spec", "2.1.v1.propose", specification(true)),
    auditor("spec", "2.1.v1.audit", { challenges: [] }),
    ...AUDITORS.map((name) => auditor(name, "2", { contradictions: [] })),
  ];
}

function bodies(visit: number, of: Readonly<Record<string, readonly Attempted[]>>): Said[] {
  return Object.entries(of).flatMap(([subject, attempts]) =>
    attempts.map(({ by = "worker", body }, index): Said => ({ role: by, subject, attempt: `${visit}.${index + 1}`, output: { body } })),
  );
}

/** Every file of the cassette, by its path. Prompts contain the time, so they have no digests. */
export function cassetteFiles(): Record<string, string> {
  const said = [...beforeInjection(), ...bodies(1, FIRST_BODIES), ...CLAIMS, ...bodies(2, SECOND_BODIES), ...TRANSFORMS];
  const entries = said.map(({ role, subject, attempt, output }) => {
    const entry = { role, subject, attempt, repair: 0, prompt_digest: null, model: null, output };
    return [join("cassette", entryPath(entry)), text(entry)] as const;
  });
  return Object.fromEntries([[join("cassette", CASSETTE_FILE), text(ABOUT)], ...entries]);
}

function text(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const DEMO = join(import.meta.dirname, "..", "..", "packages", "protocols", "demos", "criticality");

if (import.meta.main) {
  rmSync(join(DEMO, "cassette"), { recursive: true, force: true });
  for (const [path, content] of Object.entries(cassetteFiles())) {
    mkdirSync(dirname(join(DEMO, path)), { recursive: true });
    writeFileSync(join(DEMO, path), content);
  }
}
