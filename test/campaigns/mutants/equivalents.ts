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
];
