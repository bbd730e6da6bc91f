import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { trustNow } from "@slipway/kernel/config/trust/testing/trust-anything";
import { cassetteOf } from "@slipway/protocols/demo/files";
import { SHOP } from "@slipway/protocols/features/demo/files";
import { makeRepository } from "slipway/demo/scratch";
import {
  promptOf,
  type ModelRequest,
  type Script,
  type ScriptedAnswer,
  type ScriptedCall,
} from "@slipway/agents/testing/model-server/script";
import { binFolder } from "./installed.ts";

const CLI = join(import.meta.dirname, "..", "..", "packages", "cli", "src", "main.ts");
export const FEATURE = "currency_format";

/** The demo's first feature, as its recorded agents did it, by a model that uses a client's own tools. */
export function featureModel(write: (path: string, content: string) => readonly ScriptedCall[]): Script {
  return (request) => {
    const role = /^Role: (\w+)$/m.exec(promptOf(request))?.[1];
    if (role === undefined) return { text: "ready" };
    const { answers, files } = recorded();
    const output = answers[role] ?? { type: "NOTE" };
    const { unified_diff: _, ...said } = output;
    const answer = role === "qa" ? { ...said, updates: verdicts(promptOf(request)) } : said;
    const calls = changedIn(output).flatMap((path) => write(path, files.get(path) ?? ""));
    return nextOf(calls, { output: answer }, request);
  };
}

interface Output {
  readonly type: string;
  readonly unified_diff?: string;
}

function nextOf(calls: readonly ScriptedCall[], answer: ScriptedAnswer, { turn }: ModelRequest): ScriptedAnswer {
  const call = calls[turn];
  return call === undefined ? answer : { toolCalls: [call] };
}

type Files = ReadonlyMap<string, string>;
let story: { readonly answers: Readonly<Record<string, Output>>; readonly files: Files } | null = null;

/** The recorded answers, and the final files: the demo's builder is wrong once, which is left out here. */
function recorded() {
  if (story !== null) return story;
  const answers = { planner: read("planner", 1), builder: read("builder", 1), qa: read("qa", 1) };
  const folder = mkdtempSync(join(tmpdir(), "slipway-recorded-"));
  for (const { unified_diff = "" } of [answers.builder, answers.qa, read("qa", 2)])
    execFileSync("git", ["apply", "-"], { cwd: folder, input: unified_diff });
  const paths = [answers.builder, answers.qa].flatMap(changedIn);
  story = { answers, files: new Map(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")])) };
  rmSync(folder, { recursive: true });
  return story;
}

function read(role: string, attempt: number): Output {
  return (JSON.parse(readFileSync(join(cassetteOf(SHOP), role, `${FEATURE}.${attempt}.json`), "utf8")) as { output: Output }).output;
}

function changedIn({ unified_diff = "" }: Output): string[] {
  return [...unified_diff.matchAll(/^\+\+\+ b\/(.*)$/gm)].map(([, path = ""]) => path);
}

/** A verdict on every open entry of the QA index in the prompt. */
function verdicts(prompt: string) {
  const shown = /^## \d+\. qa_index: .*\n<<<.*\n([^]*?)\ndata-\w+>>>$/m.exec(prompt)?.[1] ?? '{"pending":[]}';
  const { pending } = JSON.parse(shown) as { pending: { path: string; hunks: { start_line: number; end_line: number }[] }[] };
  return pending.map(({ path, hunks }) => ({
    path,
    hunks: hunks.map(({ start_line, end_line }) => ({ start_line, end_line })),
    status: "passed",
  }));
}

/** The demo's repository with its own user, who has the clients on the PATH. */
export async function openRepository(agentsYaml: string, key: Readonly<Record<string, string>>) {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "slipway-flow-")));
  const env: Record<string, string> = {
    PATH: `${binFolder}${delimiter}${process.env["PATH"]}`,
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_STATE_HOME: join(home, "state"),
    USER: "kim",
    ...key,
  };
  const silent = {
    terminal: false,
    interactive: false,
    color: false,
    columns: 100,
    rows: 24,
    out: () => undefined,
    err: () => undefined,
    bytes: () => undefined,
  };
  mkdirSync(join(home, "config"));
  const folder = await makeRepository({ cwd: home, env, ...silent }, "repository", SHOP);
  writeFileSync(join(folder, "slipway", "agents.yaml"), agentsYaml);
  const git = (...args: string[]) => run("git", ["-c", "user.name=kim", "-c", "user.email=kim@localhost", ...args], { cwd: folder, env });
  await git("commit", "-q", "-a", "-m", "agents");
  await trustNow(folder, env);
  return {
    folder,
    git,
    slipway: (...args: string[]) =>
      run(
        process.execPath,
        [
          "--conditions=slipway-source",
          "--disable-warning=ExperimentalWarning",
          "-e",
          `import(${JSON.stringify(CLI)}).then(async ({ main }) => { process.exitCode = await main(process.argv.slice(1)); })`,
          "--",
          ...args,
        ],
        { cwd: folder, env },
      ),
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}

interface Ended {
  readonly code: number | null;
  readonly out: string;
}

function run(command: string, args: readonly string[], options: { cwd: string; env: Record<string, string> }): Promise<Ended> {
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, out })));
}
