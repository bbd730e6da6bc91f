import { mkdir, mkdtemp, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../files/remove-tree.ts";
import type { LimitName, Limits, ProcessOutcome, Sandbox } from "./contract.ts";
import { whyNot, type Probe } from "./probe-result.ts";

const MiB = 1024 ** 2;
/** Longer than the watch needs, shorter than a person waits. */
const WAITS_SECONDS = 10;
const wait = `sleep ${WAITS_SECONDS}`;

const MEANS = {
  /** Slipway counts and ends the command. */
  watched: "counted from outside",
  /** The kernel refuses, and the command lives on. */
  kernel: "by the kernel",
  group: "by a control group",
} as const;

interface Attempt {
  readonly name: string;
  readonly by: keyof typeof MEANS;
  readonly limits: Partial<Limits>;
  readonly script: string;
  readonly timeoutMs?: number;
  readonly bound: (outcome: ProcessOutcome, worktree: string) => boolean | Promise<boolean>;
}

const stoppedBy = (limit: LimitName) => (outcome: ProcessOutcome) => outcome.limit === limit;
const refused = ({ exitCode }: ProcessOutcome) => exitCode === 3;

/** One command for each limit, which tries to pass a small one. */
const ATTEMPTS: readonly Attempt[] = [
  {
    name: "processes",
    by: "watched",
    limits: { processes: 8 },
    script: `for n in 1 2 3 4 5 6 7 8 9 10; do ${wait} & done; wait`,
    bound: stoppedBy("processes"),
  },
  {
    name: "threads",
    by: "watched",
    limits: { threads: 8 },
    script: `for n in 1 2 3 4 5 6 7 8 9; do ${wait} & done; wait`,
    bound: stoppedBy("threads"),
  },
  {
    name: "memory of processes",
    by: "watched",
    limits: { memoryBytes: 32 * MiB },
    script: `node -e 'const held = Buffer.alloc(64e6, 1); setTimeout(() => held, ${WAITS_SECONDS}000)'`,
    bound: stoppedBy("memory"),
  },
  {
    name: "memory of files",
    by: "watched",
    limits: { memoryBytes: 32 * MiB },
    script: `for place in /tmp /var/tmp /dev/shm; do head -c 16M /dev/zero > $place/held; done; ${wait}`,
    bound: stoppedBy("memory"),
  },
  {
    name: "output",
    by: "watched",
    limits: { outputBytes: 1000 },
    script: "yes",
    bound: stoppedBy("output"),
  },
  {
    name: "disk space",
    by: "watched",
    limits: { diskBytes: MiB },
    script: `head -c 16M /dev/zero > held; sync held; ${wait}`,
    bound: stoppedBy("disk"),
  },
  {
    name: "number of files",
    by: "watched",
    limits: { files: 100 },
    script: `n=0; while [ $n -lt 300 ]; do n=$((n+1)); : > f$n; done; ${wait}`,
    bound: stoppedBy("files"),
  },
  { name: "time", by: "watched", limits: {}, script: wait, timeoutMs: 100, bound: ({ timedOut }) => timedOut },
  {
    name: "size of a file",
    by: "kernel",
    limits: { fileBytes: MiB },
    script: "exec dd if=/dev/zero of=held bs=1M count=3",
    bound: stoppedBy("disk"),
  },
  {
    name: "size of a folder in memory",
    by: "kernel",
    limits: { tmpBytes: MiB },
    script: "head -c 3M /dev/zero > /tmp/held || exit 3",
    bound: refused,
  },
  { name: "open files", by: "kernel", limits: { openFiles: 64 }, script: `test "$(ulimit -n)" = 64 && exit 3`, bound: refused },
];

/** The limit, and what a group allows for bubblewrap and process 1. */
const AT_ONCE_MOST = 24;

/** Starts so many at once that nobody outside can count them in time; the shell writes after each how many there are. */
const AT_ONCE: Attempt = {
  name: "threads at once",
  by: "group",
  limits: { threads: 8 },
  script: `n=0; while [ $n -lt 200 ]; do ${wait} & n=$((n+1)); echo $n > made; done`,
  bound: async ({ limit }, worktree) => limit === "threads" && Number(await readFile(join(worktree, "made"), "utf8")) <= AT_ONCE_MOST,
};

/** Tries every limit, and tells by which means it binds. */
export async function tryLimits(sandbox: Sandbox): Promise<Probe[]> {
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "slipway-probe-")));
  try {
    const attempts = sandbox.controlGroups === true ? [...ATTEMPTS, AT_ONCE] : ATTEMPTS;
    const tried = await Promise.all(attempts.map((attempt, index) => tryLimit(sandbox, attempt, join(scratch, String(index)))));
    // On a busy machine a command may end before it has passed its limit: once more, alone.
    for (const [index, attempt] of attempts.entries())
      if (tried[index]?.passed !== true) tried[index] = await tryLimit(sandbox, attempt, join(scratch, `${index}-again`));
    return tried;
  } finally {
    await removeTree(scratch);
  }
}

async function tryLimit(sandbox: Sandbox, attempt: Attempt, worktree: string): Promise<Probe> {
  const { name, by, limits, script, timeoutMs = WAITS_SECONDS * 1000, bound } = attempt;
  await mkdir(worktree);
  const outcome = await sandbox.run({ worktree, command: ["sh", "-c", script], git: "none", limits, timeoutMs, killGraceMs: 100 });
  const passed = await bound(outcome, worktree);
  return { name, passed, detail: passed ? MEANS[by] : whyNot(outcome, "it does not bind") };
}
