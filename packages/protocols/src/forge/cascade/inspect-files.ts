import { parse as parseToml } from "smol-toml";
import { parseAllDocuments } from "yaml";
import { byKind, fileKind, type FileKind } from "./languages.ts";

/** A text file of a tree; null if it is not text. */
export interface InspectedFile {
  readonly path: string;
  readonly text: string | null;
  /** The same file on the base; null if it was not there. */
  readonly base: string | null;
}

/** A check that Slipway makes by itself. */
export interface HarnessInspection {
  readonly check_name: string;
  readonly passed: boolean;
  readonly output: string;
}

type Problems = readonly string[];

const PARSERS: Partial<Record<FileKind, (file: { readonly path: string; readonly text: string }) => Problems>> = {
  json: ({ path, text }) => (allowsComments(path) ? [] : thrown(() => JSON.parse(text.replace(/^\uFEFF/, "")))),
  yaml: ({ text }) => yamlProblems(text),
  toml: ({ text }) => thrown(() => parseToml(text)),
  markdown: ({ text }) => markdownProblems(text),
};

/** Tier 1 for what needs no tool of the project: diagnostics of every kind of file, and the syntax of data and documentation. */
export function inspectFiles(files: readonly InspectedFile[], paths: readonly string[]): HarnessInspection[] {
  const texts = files.flatMap((file) => (file.text === null ? [] : [{ ...file, text: file.text }]));
  const known = new Map(texts.map((file) => [file.path, file]));
  const tree = openTree(paths);
  return byKind([...known.keys()]).flatMap(({ kind, paths: ofKind }) => {
    const group = ofKind.flatMap((path) => known.get(path) ?? []);
    const parser = PARSERS[kind];
    const diagnostics = inspection(`diagnostics-${kind}`, group, (file) => diagnose(file, tree));
    return parser === undefined ? [diagnostics] : [diagnostics, inspection(`syntax-${kind}`, group, parser)];
  });
}

/** Whether every file of a task can be where the plan puts it. The one check that is possible on a base without any of the files. */
export function inspectPaths(planned: readonly string[], paths: readonly string[]): HarnessInspection {
  const { files, folders } = openTree(paths);
  const folded = new Map(paths.map((path) => [path.toLowerCase(), path]));
  const found = planned.flatMap((path) => {
    const parents = path.split("/").slice(0, -1);
    const parent = parents.map((_, index) => parents.slice(0, index + 1).join("/")).find((folder) => files.has(folder));
    const twin = folded.get(path.toLowerCase()) ?? path;
    if (folders.has(path)) return [`${path}: it is a folder`];
    if (parent !== undefined) return [`${path}: ${parent} is a file`];
    return twin === path ? [] : [`${path}: it differs from ${twin} only in case`];
  });
  const states = planned.map((path) => `${path} ${files.has(path) ? "exists" : "is new"}`);
  return { check_name: "diagnostics-paths", passed: found.length === 0, output: (found.length === 0 ? states : found).join("\n") };
}

function inspection<F extends { readonly path: string }>(
  check_name: string,
  files: readonly F[],
  find: (file: F) => Problems,
): HarnessInspection {
  const found = files.flatMap((file) => find(file).map((problem) => `${file.path}: ${problem}`));
  const seen = `${files.length} file(s) without a problem: ${files.map(({ path }) => path).join(", ")}`;
  return { check_name, passed: found.length === 0, output: found.length === 0 ? seen : found.join("\n") };
}

interface TreePaths {
  readonly files: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
}

function openTree(paths: readonly string[]): TreePaths {
  const folders = paths.flatMap((path) => {
    const parts = path.split("/").slice(0, -1);
    return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
  });
  return { files: new Set(paths), folders: new Set(["", ...folders]) };
}

/** Merge conflicts, and links of documentation that lead nowhere and did not do so before. */
function diagnose({ path, text, base }: InspectedFile & { readonly text: string }, tree: TreePaths): Problems {
  const conflict = /^<{7} .*$[^]*?^={7}$[^]*?^>{7} .*$/m.test(text) ? ["it has an unresolved merge conflict"] : [];
  if (fileKind(path) !== "markdown") return conflict;
  const before = new Set(base === null ? [] : brokenLinks(path, base, tree));
  const broken = brokenLinks(path, text, tree).filter((link) => !before.has(link));
  return [...conflict, ...broken.map((link) => `the link to ${link} leads to no file`)];
}

function brokenLinks(path: string, text: string, { files, folders }: TreePaths): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(<?([^)\s>]+)>?(?:\s+"[^"]*")?\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    if (/^(?:[a-z][a-z0-9+.-]*:|\/|#|\{)/i.test(link)) return false;
    const target = resolved(path, decoded(link.split(/[?#]/)[0] ?? ""));
    if (target === null || files.has(target) || folders.has(target)) return false;
    // A folder that the tree does not have may be generated.
    return folders.has(target.split("/").slice(0, -1).join("/"));
  });
}

function decoded(link: string): string {
  try {
    return decodeURIComponent(link);
  } catch {
    return link;
  }
}

/** Null for a link that leaves the repository. */
function resolved(from: string, link: string): string | null {
  const parts = from.split("/").slice(0, -1);
  for (const part of link.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join("/");
}

/** Without fenced blocks and code spans, whose links are examples. */
function withoutCode(text: string): string {
  return text.replaceAll(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[^]*?(?:^ {0,3}\1[`~]*[ \t]*$|(?![^]))/gm, "").replaceAll(/`[^`\n]*`/g, "");
}

function markdownProblems(text: string): Problems {
  let fence: string | null = null;
  for (const line of text.split("\n")) {
    const found = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line);
    if (found === null) continue;
    const [, mark = "", rest = ""] = found;
    if (fence === null) fence = mark;
    else if (mark.startsWith(fence) && rest.trim() === "") fence = null;
  }
  const matter = /^---\r?\n([^]*?)^---\r?$/m.exec(text.startsWith("---") ? text : "");
  return [...(fence === null ? [] : ["a code block is not closed"]), ...(matter === null ? [] : yamlProblems(matter[1] ?? ""))];
}

/** A template is no YAML until it is rendered. */
function yamlProblems(text: string): Problems {
  if (text.includes("{{") || text.includes("{%")) return [];
  const documents = parseAllDocuments(text, { logLevel: "silent" });
  const errors = Array.isArray(documents) ? documents.flatMap((document) => document.errors) : [];
  return errors.filter(({ code }) => code !== "TAG_RESOLVE_FAILED").map(({ message }) => message.split("\n")[0] ?? "");
}

function allowsComments(path: string): boolean {
  return /(?:^|\/)(?:[tj]sconfig[^/]*\.json|\.vscode\/[^/]*\.json|\.oxlintrc\.json|\.eslintrc\.json|devcontainer\.json|api-extractor\.json)$/.test(
    path,
  );
}

function thrown(parse: () => unknown): Problems {
  try {
    parse();
    return [];
  } catch (error) {
    return [(error instanceof Error ? error.message : String(error)).split("\n")[0] ?? ""];
  }
}
