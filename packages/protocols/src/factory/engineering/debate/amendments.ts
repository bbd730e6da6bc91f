import { CONTRACT_FILE, contractField, EXAMPLES_FILE, type Deliverable } from "../deliverable.ts";
import { sectionsOf } from "../examples.ts";
import type { Amendment, Applied } from "./schemas.ts";

/** A deliverable with its named code elements. */
export interface Version {
  readonly files: Deliverable;
  readonly elements: ReadonlyMap<string, string>;
}

/** An amendment that was not applied, with the Proposer's explanation. */
export interface Unapplied {
  readonly amendment: Amendment;
  readonly problem: string;
  readonly explanation: string;
}

/** Compares the versions before and after: the Proposer's claim does not suffice. */
export function unappliedAmendments(
  amendments: readonly Amendment[],
  said: readonly Applied[],
  before: Version,
  after: Version,
): Unapplied[] {
  return amendments.flatMap((amendment, index) => {
    const records = said.filter(({ amendment_index }) => amendment_index === index);
    const [record] = records;
    const explanation = record?.note ?? "";
    const wrong = (problem: string) => [{ amendment, problem, explanation }];
    if (record === undefined || records.length > 1) return wrong(`the Proposer gave ${records.length} records for it`);
    if (!record.applied) return wrong("the Proposer did not apply it");
    const problem = structuralProblem(amendment, textOf(amendment.target, before), textOf(amendment.target, after));
    return problem === null ? [] : wrong(problem);
  });
}

function structuralProblem({ action, target }: Amendment, before: string | null, after: string | null): string | null {
  switch (action) {
    case "MODIFY":
      if (after === null || before === null) return `"${target}" is not there to be modified`;
      return before === after ? `"${target}" is unchanged` : null;
    case "ADD":
      return after === null ? `"${target}" was not added` : null;
    case "REMOVE":
      return after === null ? null : `"${target}" is still there`;
  }
}

/** The text of a file, contract field, code element, test or heading; null if there is none. */
function textOf(target: string, { files, elements }: Version): string | null {
  const name = target.trim();
  if (Object.hasOwn(files, name)) return files[name] ?? null;
  if (name.startsWith(`${CONTRACT_FILE}#`)) return contractField(files, name.slice(CONTRACT_FILE.length + 1));
  const bare = bareName(name);
  const element = elements.get(name) ?? elements.get(bare);
  if (element !== undefined) return element;
  const section = sectionsOf(files[EXAMPLES_FILE] ?? "").find(({ title }) => title === bare || title === name);
  return section === undefined ? null : JSON.stringify(section);
}

/** Reduces `function parse()`, `test "an empty text"` and `tests/a.test.ts: an empty text` to the name in them. */
function bareName(target: string): string {
  return target
    .replace(/^[\w./-]+\.(?:ts|md)\s*[:#]\s*/, "")
    .replace(/^(?:the\s+)?(?:function|class|const|constant|type|interface|test(?: case)?|heading|section)\s+/i, "")
    .replace(/\(\)$/, "")
    .replace(/^(["'`])(.*)\1$/, "$2")
    .trim();
}
