interface Equivalent {
  readonly path: string;
  /** The line as it becomes. */
  readonly is: string;
  /** The line before it, where another line of the file reads the same. */
  readonly after?: string;
  readonly why: string;
}

/** Broken lines that behave as before, or that do not run on Linux, so that no test can notice. */
export const EQUIVALENTS: readonly Equivalent[] = [
  {
    path: "packages/kernel/src/change/turn/locks/lease.ts",
    is: "return [...new Set(resources)].toSorted((a, b) => (a <= b ? -1 : 1));",
    why: "The elements of a set differ, so a and b are never equal.",
  },
  {
    path: "packages/kernel/src/host/git/merge.ts",
    is: "for (const step of undo) await step();",
    why: "Index and files are put back without reading each other, so either order ends in the same checkout. If a step fails, the intent stays, and the next process settles the landing.",
  },
  {
    path: "packages/kernel/src/host/redaction/patterns.ts",
    is: "if (match.index < cut && end >= cut) cut = end;",
    why: "If end equals cut, setting cut to it changes nothing.",
  },
  {
    path: "packages/kernel/src/host/redaction/patterns.ts",
    is: "while (index <= buffer.length && TOKEN_CHARACTER.test(buffer.charAt(index))) index++;",
    why: "There is no character at the end, and an empty text is no character of a token.",
  },
  {
    path: "packages/kernel/src/host/redaction/patterns.ts",
    is: 'for (let end = text.indexOf("\\n"); end >= 0 && end - start <= WINDOW; end = text.indexOf("\\n", start)) start = end + 1;',
    why: "Only whether a line of exactly a window is cut where no token is, or not at all.",
  },
  {
    path: "packages/kernel/src/host/redaction/automaton.ts",
    is: "for (let index = 0; index <= form.length; index++) {",
    after: "for (const form of forms) {",
    why: "The code of no character is NaN, which no table has: no class is given to it.",
  },
  {
    path: "packages/kernel/src/host/redaction/automaton.ts",
    is: "for (let edge = 0; edge <= classes; edge++) if (next[edge] !== 0) queue[end++] = entry(next, edge);",
    why: "The entry after the start's is class 0 of the first state, which leads nowhere; without forms the start is visited again.",
  },
  {
    path: "packages/kernel/src/host/files/beneath.ts",
    is: ";",
    after: "const descriptor = openSync(path, FOLDER);",
    why: "Runs only on systems without /proc/self/fd.",
  },
  {
    path: "packages/kernel/src/host/files/remove-tree.ts",
    is: ";",
    after: "if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;",
    why: "Runs only on systems without /proc/self/fd.",
  },
  {
    path: "packages/kernel/src/change/plan/claims-store.ts",
    is: "",
    after: '.where("plan_claims.feature_id", "!=", plan.feature_id)',
    why: "The transaction that ends a feature drops its claims (turn/queue); this line is a second guard.",
  },
  {
    path: "packages/kernel/src/change/land/approvals/key.ts",
    is: "if (false) throw error;",
    after: "// `link` fails where `rename` would replace: two processes that create a key at once both use the first one.",
    why: "Then there is no key, and reading it fails next: both are refused as the same error, with the reason of the system call that failed.",
  },
  {
    path: "packages/kernel/src/host/sandbox/init-script.ts",
    is: ";",
    after: "my $environment = do { local $/; <$variables> };",
    why: "Perl closes the descriptor when it starts the command. Process 1 keeps it, has read it to its end, and no other process can look into it.",
  },
  {
    path: "packages/kernel/src/host/sandbox/status.ts",
    is: ";",
    after: "const stream = child.stdio[STATUS_FD] as Readable;",
    why: "The status is JSON of numbers and ASCII names, so bytes that are appended to a text become the same characters.",
  },
  {
    path: "packages/protocols/src/factory/code-index/matrix.ts",
    is: "if (similarity <= best.threshold()) continue;",
    why: "Candidates come in the order of their rows: k earlier ones are at least as similar, so one that equals the threshold is cut off at the end.",
  },
  {
    path: "packages/protocols/src/forge/cascade/check-scripts.ts",
    is: 'process.exit(missing.test(String(error || error.code) + " " + String(error && error.message)) ? ${CANNOT_CHECK} : 1);',
    why: "Node writes the code of its own errors into their text. If a module throws null, the script ends with 1 as before, by the second error.",
  },
  {
    path: "packages/protocols/src/forge/ledger/gates.ts",
    is: "",
    after: "export const LEDGER_GATES = [",
    why: "The program uses the list as a type alone, and the sources then no longer type-check; only a test reads its elements.",
  },
  {
    path: "packages/protocols/src/factory/store.ts",
    is: "if (known.size > MOST_TEXTS) known.clear();",
    why: "Only whether the cache holds one text more before it is emptied.",
  },
  {
    path: "packages/protocols/src/factory/engineering/coverage.ts",
    is: ";",
    after: ".array(z.strictObject({ category: z.enum(COVERAGE_CATEGORIES), item: z.string().min(1), test: z.string().min(1) }))",
    why: "A description for agents: the words of a text are no rule.",
  },
  {
    path: "packages/protocols/src/criticality/benchmark/suite/micro.ts",
    is: "for (let value = 1; value < 3999; value += 37) assert.equal(valueOf(toRoman(value)), value);",
    why: "In steps of 37 from 1, 3999 is not reached.",
  },
  {
    path: "packages/protocols/src/criticality/phases/injection-phase.ts",
    is: "if (false) return;",
    after: "const { progress } = work;",
    why: "For the compiler alone: an outcome that is told has an attempt, and the work has its progress since before.",
  },
  {
    path: "packages/protocols/src/crew/flow/repair.ts",
    is: ";",
    after: "if (last !== undefined && !isRequest) attempts[attempts.length - 1] = { ...last, failed: summary };",
    why: "The list is the one in the map, changed in place, or it is empty, and the repair that comes next keeps it before anything reads it.",
  },
  {
    path: "packages/protocols/src/crew/flow/repair.ts",
    is: 'isSecurityFix: loop !== "FIX_SECURITY",',
    why: "Only the checklist of QA reads it, and QA repairs with the order of its review.",
  },
];
