import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { cp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { planPack, type PackPlan } from "@slipway/agents/packs/plan";
import { listTree } from "@slipway/agents/packs/source";
import { packStore, type OpenPack } from "@slipway/agents/packs/store";
import { workplaceIn } from "@slipway/agents/packs/workplace";
import type { AgentProcess } from "@slipway/agents/process/contract";
import type { BenchRow } from "@slipway/durable/bench/durable";
import { openRepository, type Repository } from "@slipway/kernel/host/git/repository";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";

const FILES = 500;
const ROUNDS = 21;
const CLOCK = { now: () => Date.now() };

/** The overhead of the harness for an agent in a folder of 500 files, and the time of a plain copy of the folder. */
export async function benchPacks(): Promise<BenchRow[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "slipway-bench-packs-")));
  try {
    const repo = await makeRepository(join(folder, "repository"));
    const sandbox = await openSandbox().catch(() => null);
    const bench = new Bench(folder, repo, sandbox);
    const rows = await bench.copies();
    if (sandbox === null) return [...rows, skipped("invocation overhead", "≤ 50 ms")];
    return [...rows, ...(await bench.overhead()), await bench.stream(), await bench.parallel()];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

class Bench {
  readonly #folder: string;
  readonly #repo: Repository;
  readonly #sandbox: Sandbox | null;
  #number = 0;
  #tree = "";

  constructor(folder: string, repo: Repository, sandbox: Sandbox | null) {
    this.#folder = folder;
    this.#repo = repo;
    this.#sandbox = sandbox;
  }

  async copies(): Promise<BenchRow[]> {
    const plan = await this.#plan();
    const source = await this.#open(plan);
    const [packs, copies, commands]: [number[], number[], number[]] = [[], [], []];
    for (let round = -3; round < ROUNDS; round++) {
      const keep = round >= 0;
      let pack: OpenPack | null = null;
      await timed(async () => (pack = await this.#open(plan)), keep ? packs : null);
      await (pack as OpenPack | null)?.close();
      const target = join(this.#folder, `copy-${round}`);
      await timed(() => cp(source.folder, target, { recursive: true }), keep ? copies : null);
      await rm(target, { recursive: true });
      await timed(() => finished("cp", ["-r", source.folder, target]), keep ? commands : null);
      await rm(target, { recursive: true });
    }
    await source.close();
    return [
      versus(`context pack of ${FILES} files against a recursive fs.cp`, packs, copies, 5),
      versus(`context pack of ${FILES} files against cp -r`, packs, commands, null),
    ];
  }

  async overhead(): Promise<BenchRow[]> {
    const [bare, walled, named]: [number[], number[], number[]] = [[], [], []];
    for (let round = -3; round < ROUNDS; round++) {
      const keep = round >= 0;
      await timed(() => finished("true", []), keep ? bare : null);
      await timed(() => this.#invocation([]), keep ? walled : null);
      await timed(() => this.#invocation(["model.invalid:443"]), keep ? named : null);
    }
    return [over("invocation overhead, no network", bare, walled), over("invocation overhead, one named host", bare, named)];
  }

  async stream(): Promise<BenchRow> {
    const before = process.memoryUsage.rss();
    let [bytes, most] = [0, 0];
    await this.#invocation([], ["head", "-c", "100000000", "/dev/zero"], (chunk) => {
      bytes += chunk.byteLength;
      most = Math.max(most, process.memoryUsage.rss() - before);
    });
    const value = `${(most / 1e6).toFixed(0)} MB more for ${(bytes / 1e6).toFixed(0)} MB`;
    return {
      what: "memory over a 100 MB stream",
      value,
      ratio: most / bytes,
      bar: "flat (≤ 0.6)",
      ok: bytes === 1e8 && most / bytes <= 0.6,
    };
  }

  async parallel(): Promise<BenchRow> {
    let [last, longest] = [performance.now(), 0];
    let [lastOwn, longestOwn] = [ownTime(), 0];
    const watch = setInterval(() => {
      const [now, own] = [performance.now(), ownTime()];
      [longest, longestOwn] = [Math.max(longest, now - last), Math.max(longestOwn, own - lastOwn)];
      [last, lastOwn] = [now, own];
    }, 1);
    await Promise.all(Array.from({ length: 20 }, () => this.#invocation(["model.invalid:443"])));
    clearInterval(watch);
    const value = `${longest.toFixed(0)} ms (at most ${longestOwn.toFixed(0)} ms at work in one piece)`;
    return { what: "longest block of the event loop, 20 invocations at once", value, ratio: null, bar: "≤ 50 ms", ok: longest <= 50 };
  }

  /** Everything that the harness does around an agent's process. */
  async #invocation(hosts: readonly string[], command: readonly string[] = ["true"], onStdout: AgentProcess["onStdout"] = () => undefined) {
    const pack = await this.#open(await this.#plan());
    const home = join(this.#folder, `home-${(this.#number += 1)}`);
    mkdirSync(home);
    const run = {
      command,
      hosts,
      home,
      onStdout,
      env: {},
      input: "",
      programs: [],
      timeoutMs: 60_000,
      signal: new AbortController().signal,
    };
    await workplaceIn(pack, async () => this.#sandbox ?? openSandbox()).run(run);
    await pack.changes();
    await pack.close();
  }

  async #plan(): Promise<PackPlan> {
    this.#tree ||= (await this.#repo.git.text(["rev-parse", "HEAD^{tree}"])).trim();
    const tree = this.#tree;
    const rules = [
      { path: ".", level: "FULL", permission: "read", reason: "the repository" },
      ...[0, 1, 2].map((file) => ({ path: `src/m3/f${file}.ts`, level: "FULL", permission: "write", reason: "the plan" }) as const),
    ] as const;
    return planPack({ ...(await listTree(this.#repo, tree)), tree, rules, objectFormat: this.#repo.objectFormat });
  }

  #open(plan: PackPlan): Promise<OpenPack> {
    const store = packStore(this.#repo, join(this.#folder, "packs"), CLOCK);
    return store.open(plan, { id: `p${(this.#number += 1)}`, links: true });
  }
}

async function makeRepository(root: string): Promise<Repository> {
  for (let file = 0; file < FILES; file++) {
    const path = join(root, "src", `m${Math.floor(file / 20)}`, `f${file % 20}.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `// file ${file}\n${`export const value${file} = ${file};\n`.repeat(150)}`);
  }
  const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=b", "-c", "user.email=b@localhost", ...args], { cwd: root });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message=start");
  return openRepository(root);
}

/** CPU milliseconds of this thread: on a busy machine it also waits for a core. */
function ownTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function versus(what: string, ours: readonly number[], theirs: readonly number[], bar: number | null): BenchRow {
  const ratio = median(theirs) / median(ours);
  const value = `${median(ours).toFixed(1)} ms against ${median(theirs).toFixed(1)} ms`;
  return { what, value, ratio, bar: bar === null ? "" : `≥ ${bar} × faster`, ok: bar === null || ratio >= bar };
}

function over(what: string, bare: readonly number[], measured: readonly number[]): BenchRow {
  const extra = median(measured) - median(bare);
  const value = `${extra.toFixed(1)} ms (${median(measured).toFixed(1)} ms, the client alone ${median(bare).toFixed(1)} ms)`;
  return { what: `${what} (pack of ${FILES} files)`, value, ratio: null, bar: "≤ 50 ms", ok: extra <= 50 };
}

function skipped(what: string, bar: string): BenchRow {
  return { what, value: "not measured: no sandbox here", ratio: null, bar, ok: true };
}

async function timed(work: () => Promise<unknown>, into: number[] | null): Promise<void> {
  const started = performance.now();
  await work();
  into?.push(performance.now() - started);
}

function finished(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve) => spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] }).once("close", () => resolve()));
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
