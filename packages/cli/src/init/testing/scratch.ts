import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import { onTestFinished } from "vitest";
import type { Io } from "@slipway/protocols/surface/io";
import { escapeBytes } from "@slipway/protocols/surface/escape";
import { screenText } from "@slipway/protocols/surface/style";

export function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "slipway-cli-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function writeAll(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text, path.endsWith("w") || path.endsWith(".sh") ? { mode: 0o755 } : {});
  }
}

const IDENTITY = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgSign=false"];

export function git(folder: string, ...args: readonly string[]): string {
  return execFileSync("git", [...IDENTITY, ...args], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export function commitAll(folder: string): void {
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "-m", "files");
}

const templates = new Map<string, string>();

/** A repository on the branch main with these files committed. Created once per set of files, then copied: git is slower than the copy. */
export function scratchRepository(files: Readonly<Record<string, string>>): string {
  const key = JSON.stringify(files);
  const template = templates.get(key) ?? makeRepository(files);
  templates.set(key, template);
  const folder = scratchFolder();
  cpSync(template, folder, { recursive: true, preserveTimestamps: true });
  return folder;
}

function makeRepository(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "slipway-cli-template-")));
  git(folder, "init", "-q", "-b", "main");
  writeAll(folder, files);
  if (Object.keys(files).length > 0) commitAll(folder);
  return folder;
}

export interface CollectingIo extends Io {
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** With its own home folder, isolated from the user's. */
export function collectingIo(cwd: string, more: Partial<Io> = {}): CollectingIo {
  let stdout = "";
  let stderr = "";
  return {
    cwd,
    env: { PATH: process.env["PATH"], HOME: scratchFolder() },
    terminal: false,
    interactive: false,
    color: false,
    trusts: trustAnything,
    columns: 100,
    rows: 24,
    out: (text) => void (stdout += screenText(text)),
    err: (text) => void (stderr += screenText(text)),
    bytes: (bytes) => void (stdout += more.terminal === true ? escapeBytes(bytes) : Buffer.from(bytes).toString("utf8")),
    stdout: () => stdout,
    stderr: () => stderr,
    ...more,
  };
}
