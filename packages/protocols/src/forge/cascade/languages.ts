/** Kinds of files, by what can be checked of one alone. */
const FILE_KINDS = ["javascript", "typescript", "python", "go", "rust", "java", "json", "yaml", "toml", "markdown", "other"] as const;
export type FileKind = (typeof FILE_KINDS)[number];

const EXTENSIONS: readonly (readonly [FileKind, RegExp])[] = [
  ["javascript", /\.[cm]?js$/],
  ["typescript", /\.[cm]?ts$/],
  ["python", /\.py$/],
  ["go", /\.go$/],
  ["rust", /\.rs$/],
  ["java", /\.java$/],
  ["json", /\.json$/],
  ["yaml", /\.ya?ml$/],
  ["toml", /\.toml$/],
  ["markdown", /\.(?:md|markdown)$/],
];

export function fileKind(path: string): FileKind {
  return EXTENSIONS.find(([, pattern]) => pattern.test(path))?.[0] ?? "other";
}

export function isTestFile(path: string): boolean {
  return /(?:^|\/)(?:tests?|__tests__|spec)\/|[._-](?:test|spec)\.[a-z]+$|(?:^|\/)test_[^/]*\.py$|_test\.go$|Tests?\.java$/.test(path);
}

/** The files of each kind, in the order of the kinds. */
export function byKind(paths: readonly string[]): readonly { readonly kind: FileKind; readonly paths: readonly string[] }[] {
  const groups = Map.groupBy(paths.toSorted(), fileKind);
  return FILE_KINDS.flatMap((kind) => {
    const found = groups.get(kind);
    return found === undefined ? [] : [{ kind, paths: found }];
  });
}
