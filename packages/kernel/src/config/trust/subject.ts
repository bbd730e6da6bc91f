import { readFileSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve } from "node:path";
import { digestOf, sha256 } from "@slipway/durable/canonical";
import type { AgentsConfig } from "../agents.ts";
import type { ConfigurationFiles } from "./configuration-files.ts";
import { agentCommands } from "./powers.ts";

/** What a person trusts: the exact bytes of these files. */
export interface TrustSubject {
  readonly digest: string;
  /** The digest of each file, by path. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * The configuration, and the files of the checkout that commands of agents.yaml name: those are started from the checkout and not from a
 * commit, so they count as they are on disk.
 */
export function trustSubject(files: ConfigurationFiles, agents: AgentsConfig | null, root: string): TrustSubject {
  const configured = [...files].map(([path, bytes]) => [path, sha256(bytes)] as const);
  const started = namedFiles(agents, root).map((path) => [path, sha256(readFileSync(join(root, path)))] as const);
  const digests = Object.fromEntries([...configured, ...started].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { digest: digestOf(digests), files: digests };
}

function namedFiles(agents: AgentsConfig | null, root: string): string[] {
  const words = agentCommands(agents).flat();
  const paths = words.map((word) => relative(root, resolve(root, word)));
  return [...new Set(paths)].filter((path) => path !== "" && !isOutside(path) && isFile(join(root, path)));
}

function isOutside(path: string): boolean {
  return path === ".." || path.startsWith("../") || isAbsolute(path);
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
