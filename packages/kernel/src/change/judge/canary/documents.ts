/** Files that no test can reach. Anything else may change what the program does. */
const DOCUMENTS: readonly RegExp[] = [
  /\.(?:md|mdx|markdown|mdown|rst|adoc|asciidoc|textile|txt|pdf)$/i,
  /\.(?:png|jpe?g|gif|svg|webp|avif|ico|bmp|mp4|webm|drawio|excalidraw)$/i,
  /(?:^|\/)(?:LICEN[CS]E|COPYING|NOTICE|AUTHORS|CONTRIBUTORS|CHANGELOG|CHANGES|README|CODEOWNERS)$/i,
];

/** Text files that a build or an installer reads. */
const READ_BY_TOOLS: readonly RegExp[] = [
  /(?:^|\/)(?:CMakeLists|requirements[^/]*|constraints[^/]*|robots|runtime|conanfile|go\.work)\.txt$/i,
  /(?:^|\/)(?:requirements|fixtures|__fixtures__|testdata|test|tests|__tests__|spec|src)\/.*\.txt$/i,
];

export function isDocument(path: string): boolean {
  return DOCUMENTS.some((pattern) => pattern.test(path)) && !READ_BY_TOOLS.some((pattern) => pattern.test(path));
}
