import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { GATES, POLICY } from "@slipway/kernel/change/testing/scratch-kernel";
import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import { openKernelAt, type OpenedRepository } from "@slipway/kernel/open";
import { DOCUMENT_DEFINITIONS } from "@slipway/kernel/tools/documents";
import type { AnyTool } from "@slipway/kernel/tools/tool";
import { onTestFinished } from "vitest";
import { TOOLS_FOLDER } from "../catalog.ts";
import { openServerParts, type ServerPartsOptions } from "../server-parts.ts";
import { openAuthenticator, type Authenticate } from "../identify.ts";
import type { ServerParts } from "../server.ts";
import { issueToken, openTokenKey, type TokenWish } from "../tokens.ts";
import { toolFiles } from "../tool-files.ts";

export interface Place {
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  git(...args: string[]): string;
  write(path: string, text: string): void;
}

const FILES = {
  "check.sh": "if grep -rn BUG src; then exit 1; fi\n",
  "src/a.txt": "one\n",
  "src/b.txt": "one\n",
  "slipway/gates.yaml": GATES,
  "slipway/policy.yaml": POLICY,
};

/** A new repository in a new home folder. */
export function scratchPlace(files: Readonly<Record<string, string>> = {}): Place {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-mcp-")));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const root = join(home, "repository");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  for (const [path, text] of Object.entries({ ...FILES, ...files })) write(path, text);
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=kim", "-c", "user.email=kim@localhost", ...args], { cwd: root, encoding: "utf8" });
  git("init", "--quiet", "--initial-branch=main");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  const env = {
    PATH: process.env["PATH"],
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
  };
  return { root, home, env, git, write };
}

export async function openPlace(place: Place): Promise<OpenedRepository> {
  const opened = await openKernelAt({
    cwd: place.root,
    env: place.env,
    askTrust: trustAnything,
    unsandboxed: { reason: "scripted test", by: "kim" },
  });
  onTestFinished(() => opened.close());
  return opened;
}

/** A folder with the installed files for these tools. */
export function toolsFolder(definitions: readonly AnyTool[], atEnd: (clean: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-tools-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of [
    ...toolFiles(definitions),
    ["protocol.json", readFileSync(join(TOOLS_FOLDER, "protocol.json"), "utf8")] as const,
  ]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

export interface Bench {
  readonly place: Place;
  readonly opened: OpenedRepository;
  readonly authenticate: Authenticate;
  readonly parts: ServerParts;
  readonly reported: string[];
  token(wish?: Partial<TokenWish>): string;
}

/** The shipped tools. */
export const SHIPPED = { folder: TOOLS_FOLDER } as const;

export async function openBench(
  definitions: readonly AnyTool[],
  options: Partial<ServerPartsOptions> & { readonly place?: Place } = {},
): Promise<Bench> {
  const place = options.place ?? scratchPlace();
  const opened = await openPlace(place);
  const authenticate = await openAuthenticator(opened, place.env);
  const key = await openTokenKey(place.root, place.env);
  const { clock, ids } = opened.records;
  const reported: string[] = [];
  const parts = await openServerParts({
    opened,
    documents: DOCUMENT_DEFINITIONS,
    table: new Map(definitions.map((definition) => [definition.name, definition])),
    transport: "stdio",
    version: "0.0.0",
    report: (line) => reported.push(line),
    ...options,
    folder: options.folder ?? toolsFolder(definitions),
  });
  return {
    place,
    opened,
    authenticate,
    parts,
    reported,
    token: (wish = {}) =>
      issueToken(
        { key, root: place.root, clock, ids },
        { role: "orchestrator", actorId: "kim", feature: null, run: null, lifetimeMs: 60_000, ...wish },
      ).token,
  };
}
