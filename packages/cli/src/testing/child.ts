import { spawn, type ChildProcess } from "node:child_process";
import { trustFilesOf } from "@slipway/kernel/config/trust/testing/trust-anything";
import { onTestFinished } from "vitest";
import { PROGRAM } from "./program.ts";
import { jsonLines, type Ended, type Project } from "./project.ts";

export interface Child {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout(): string;
  /** Resolves once the output contains `text`; rejects if the process ends without it. */
  says(text: string): Promise<void>;
}

/** A separate process, for tests in which two commands run at once. Its person trusts the files on disk. */
export function startSlipway(project: Project, argv: readonly string[]): Child {
  trustFilesOf(project.root, project.env);
  const child = spawn(process.execPath, [...PROGRAM, ...argv], { cwd: project.root, env: project.env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr, json: <T>() => jsonLines<T>(stdout) }));
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    process: child,
    ended,
    stdout: () => stdout,
    says: (text) =>
      new Promise((resolve, reject) => {
        const look = () => stdout.includes(text) && resolve();
        child.stdout.on("data", look);
        void ended.then(() => reject(new Error(`ended without saying "${text}": ${stdout}${stderr}`)));
        look();
      }),
  };
}
