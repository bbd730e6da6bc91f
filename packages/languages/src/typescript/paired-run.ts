import { readFile } from "node:fs/promises";
import { extname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Limits, ProcessOutcome, Sandbox, SharedPath } from "@slipway/kernel/host/sandbox/contract";
import { MAX_LINE } from "./bridge/lines.ts";

const SHARED = ["wire", "intrinsics", "table", "describe", "restore", "membrane", "lines", "conversation"];
const OF_TESTS = [...SHARED, "remote-module", "reporter", "test-clock", "runner-shim", "test-process"];
const OF_MODULE = [...SHARED, "lock-globals", "lock-inspector", "measured-calls", "module-clock", "module-process"];
/** TypeScript in the sources, JavaScript once they are compiled. */
const EXTENSION = extname(import.meta.url);
const FOLDER = "slipway";

const programs = new Map<string, Promise<string>>();

async function programFiles(names: readonly string[]): Promise<Record<string, string>> {
  const texts = names.map(async (name) => {
    const file = `${name}${EXTENSION}`;
    const text = programs.get(file) ?? readFile(join(import.meta.dirname, "bridge", file), "utf8");
    programs.set(file, text);
    return [`${FOLDER}/${file}`, await text] as const;
  });
  return Object.fromEntries(await Promise.all(texts));
}

/** Files in each process's folder beside the module's. */
export const testPrograms = () => programFiles(OF_TESTS);
export const modulePrograms = () => programFiles(OF_MODULE);

export interface PairedRun {
  readonly sandbox: Sandbox;
  readonly tests: { readonly folder: string; readonly file: string; readonly shared?: readonly SharedPath[] };
  /** Where the code under test is: `implementation` and `dependencies` of a module, or everything but `tests` of a project. */
  readonly layout?: "module" | "project";
  readonly limits?: Partial<Limits>;
  /** The tests measure calls: code under test may not change anything that the bridge uses. */
  readonly measures?: boolean;
  readonly module: {
    readonly folder: string;
    /** An empty folder in it, where Node records which code has run. */
    readonly records?: string;
  };
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface PairedOutcome {
  /** Every line of the test process to the harness. */
  readonly resultLines: readonly string[];
  readonly tests: ProcessOutcome;
  /** Why the sandbox stopped the module's process, if it did. */
  readonly stopped: ProcessOutcome["limit"];
}

/** Projects may have enums and parameter properties, which need more than removing types. */
const TRANSFORM_TYPES = "--experimental-transform-types";
const QUIET = ["--disable-warning=ExperimentalWarning", "--disable-warning=SecurityWarning", "--disable-sigusr1"];
const MARK = ">";
/** Node records coverage at the end of a process. */
const RECORD_MS = 5_000;
/** The module process is not needed after the tests have ended. */
const KILL_GRACE_MS = 100;

/**
 * Runs one test file and its module, each in its own sandbox: neither can reach a process, descriptor, file or signal of the other. The
 * harness carries lines between them and takes results from the test process only.
 */
export async function runPair({
  sandbox,
  tests,
  module,
  timeoutMs,
  signal,
  layout = "module",
  limits = {},
  measures = false,
}: PairedRun): Promise<PairedOutcome> {
  const toTests = openInput();
  const toModule = openInput();
  const over = new AbortController();
  const resultLines: string[] = [];
  let stopped: PairedOutcome["stopped"] = null;

  const fromModule = splitLines((line) => toTests.write(line));
  const moduleEnded = sandbox
    .run({
      worktree: module.folder,
      git: "none",
      command: [
        "node",
        "--permission",
        `--allow-fs-read=${module.folder}`,
        ...(layout === "project" ? [TRANSFORM_TYPES] : []),
        ...(module.records === undefined ? [] : ["--allow-inspector", `--import=./${FOLDER}/lock-inspector${EXTENSION}`]),
        ...(measures ? ["--frozen-intrinsics", `--import=./${FOLDER}/lock-globals${EXTENSION}`] : []),
        ...QUIET,
        `${FOLDER}/module-process${EXTENSION}`,
      ],
      ...(module.records === undefined ? {} : { env: { NODE_V8_COVERAGE: join(module.folder, module.records) } }),
      folders: [{ path: ".", writable: false }, ...(module.records === undefined ? [] : [{ path: module.records, writable: true }])],
      limits,
      input: toModule.stream,
      timeoutMs: timeoutMs + KILL_GRACE_MS,
      killGraceMs: KILL_GRACE_MS,
      onOutput: (stream, chunk) => {
        if (stream === "stdout" && !fromModule(chunk)) over.abort();
      },
      signal: AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])]),
    })
    .then((outcome) => {
      if (!over.signal.aborted) stopped = outcome.limit;
      toTests.write(`gone ${endOf(outcome)}`);
      toTests.end();
    });

  const fromTests = splitLines((line) => (line.startsWith(MARK) ? toModule.write(line.slice(MARK.length)) : resultLines.push(line)));
  const testsEnded = sandbox.run({
    worktree: tests.folder,
    git: "none",
    command: [
      "node",
      ...QUIET,
      `--test-reporter=./${FOLDER}/reporter${EXTENSION}`,
      `${FOLDER}/test-process${EXTENSION}`,
      tests.file,
      layout,
    ],
    shared: tests.shared ?? [],
    limits,
    folders: [{ path: ".", writable: false }],
    input: toTests.stream,
    timeoutMs,
    onOutput: (stream, chunk) => {
      if (stream === "stdout" && !fromTests(chunk)) resultLines.push("");
    },
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    return { resultLines, tests: await testsEnded, stopped };
  } finally {
    toModule.end();
    if (module.records !== undefined) await Promise.race([moduleEnded, sleep(RECORD_MS, undefined, { ref: false })]);
    over.abort();
    await Promise.allSettled([moduleEnded]);
  }
}

function endOf({ limit, signal, exitCode, spawnError }: ProcessOutcome): string {
  if (limit !== null) return `it used more than the sandbox allows (${limit})`;
  return spawnError?.message.split("\n", 1)[0] ?? `it ended with ${signal ?? exitCode}`;
}

interface Input {
  readonly stream: ReadableStream<Uint8Array>;
  write(line: string): void;
  end(): void;
}

function openInput(): Input {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const stream = new ReadableStream<Uint8Array>({
    start: (given) => void (controller = given),
    cancel: () => void (controller = null),
  });
  return {
    stream,
    write: (line) => controller?.enqueue(Buffer.from(`${line}\n`)),
    end() {
      controller?.close();
      controller = null;
    },
  };
}

/** Returns false once a line exceeds the maximum. */
function splitLines(onLine: (line: string) => unknown): (chunk: Uint8Array) => boolean {
  let rest: Uint8Array[] = [];
  let held = 0;
  let tooLong = false;
  return (chunk) => {
    if (tooLong) return false;
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      onLine(Buffer.concat([...rest, chunk.subarray(from, end)]).toString("utf8"));
      rest = [];
      held = 0;
      from = end + 1;
    }
    rest.push(Buffer.from(chunk.subarray(from)));
    held += chunk.length - from;
    tooLong = held > MAX_LINE;
    return !tooLong;
  };
}
