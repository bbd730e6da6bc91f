/** Broken lines that behave as before, so that no test can notice: the path, the line as it becomes, and why. */
export const EQUIVALENTS: readonly { readonly path: string; readonly is: string; readonly why: string }[] = [
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
];
