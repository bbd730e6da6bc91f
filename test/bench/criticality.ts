import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { BenchRow } from "@slipway/durable/bench/durable";
import { appendBench } from "@slipway/kernel/record/decisions/testing/append-bench";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { measurePython } from "@slipway/languages/python/testing/oracle-bench";
import { benchTree, measureOracle } from "@slipway/languages/typescript/testing/oracle-bench";
import { installPackage } from "./peer/install.ts";
import { measureLattice } from "./lattice.ts";

const MAX_CHECK_MS = 15;
const MAX_INJECT_MS = 2;
const PYRIGHT = "1.1.414";
const MAX_PYTHON_MS = 40;
const FASTER = 100;
/** What the known implementation takes for one decision at 10,000 entries, through its MCP server. */
const PEER_APPEND_MS = 890;
const MAX_OVERHEAD_MS = 20;
const MAX_RESUME_MS = 1_000;
const FLAT = 1.5;

/** The compiler as oracle, the ledger, and a lattice of 1,000 functions. */
export async function benchCriticality(): Promise<BenchRow[]> {
  return [...(await compileRows()), ...(await pythonRows()), ...(await ledgerRows()), ...(await latticeRows())];
}

async function compileRows(): Promise<BenchRow[]> {
  const { checkMs, injectMs, coldTscMs } = await measureOracle();
  const cold = coldTsc5();
  const compared = cold === null ? "tsc 5.9 could not be installed" : `tsc 5.9, cold: ${ms(cold)}`;
  return [
    {
      what: "compile check after one body, 200 files with 2,000 functions",
      value: `${ms(checkMs)} (median); ${compared}; tsc 7, cold: ${ms(coldTscMs)}`,
      ratio: cold === null ? null : cold / checkMs,
      bar: `≤ ${MAX_CHECK_MS} ms, ≥ ${FASTER} × faster than tsc 5.9`,
      ok: checkMs <= MAX_CHECK_MS && (cold === null || cold / checkMs >= FASTER),
    },
    {
      what: "injection of one body",
      value: `${ms(injectMs)} (median)`,
      ratio: null,
      bar: `≤ ${MAX_INJECT_MS} ms`,
      ok: injectMs <= MAX_INJECT_MS,
    },
  ];
}

/** With a language server, because pyright takes a second for a file when it starts anew. */
async function pythonRows(): Promise<BenchRow[]> {
  const installed = installPackage("pyright", PYRIGHT);
  const what = "compile check after one body, 60 Python files with 600 functions, by pyright";
  const bar = `p95 ≤ ${MAX_PYTHON_MS} ms`;
  if (!installed.ok) return [{ what, value: `pyright could not be installed: ${installed.why}`, ratio: null, bar, ok: false }];
  const { p50, p95 } = await measurePython(await openSandbox(), [dirname(installed.folder)]);
  return [{ what, value: `p95 ${ms(p95)}, median ${ms(p50)}`, ratio: null, bar, ok: p95 <= MAX_PYTHON_MS }];
}

/** A new process of tsc 5.9 over the same tree. */
function coldTsc5(): number | null {
  const installed = installPackage("typescript", "5.9.3");
  if (!installed.ok) return null;
  const folder = mkdtempSync(join(tmpdir(), "slipway-tsc-bench-"));
  try {
    for (const [path, text] of Object.entries(benchTree())) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const before = performance.now();
    spawnSync(process.execPath, [join(installed.folder, "bin", "tsc"), "--noEmit", "-p", folder]);
    return performance.now() - before;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ledgerRows(): Promise<BenchRow[]> {
  const [first, middle, last] = await appendBench();
  if (first === undefined || middle === undefined || last === undefined) throw new TypeError("three sizes are measured");
  return [
    {
      what: "append of a decision at 100,000 entries / at 100",
      value: `${ms(last.msPerAppend)} / ${ms(first.msPerAppend)} (medians of 50)`,
      ratio: last.msPerAppend / first.msPerAppend,
      bar: `≤ ${FLAT} (flat)`,
      ok: last.msPerAppend / first.msPerAppend <= FLAT,
    },
    {
      what: `append of a decision at 10,000 entries, against ${PEER_APPEND_MS} ms of the known implementation`,
      value: ms(middle.msPerAppend),
      ratio: PEER_APPEND_MS / middle.msPerAppend,
      bar: `≥ ${FASTER} × faster`,
      ok: PEER_APPEND_MS / middle.msPerAppend >= FASTER,
    },
  ];
}

async function latticeRows(): Promise<BenchRow[]> {
  const { functions, totalMs, resumeMs, heapMb } = await measureLattice(1_000);
  const each = totalMs / functions;
  const [first = 0, ...later] = heapMb;
  return [
    {
      what: "a lattice of 1,000 functions injected offline: harness and compiler per function, tests answered at once",
      value: `${ms(each)} (${(totalMs / 1000).toFixed(1)} s in all)`,
      ratio: null,
      bar: `≤ ${MAX_OVERHEAD_MS} ms`,
      ok: each <= MAX_OVERHEAD_MS,
    },
    {
      what: "resume after the 1,000th function",
      value: ms(resumeMs),
      ratio: null,
      bar: `< ${MAX_RESUME_MS} ms`,
      ok: resumeMs < MAX_RESUME_MS,
    },
    {
      what: "memory over those 1,000 functions: heap at the end / after a quarter",
      value: `${[first, ...later].join(", ")} MB`,
      ratio: Math.max(first, ...later) / Math.max(first, 1),
      bar: `≤ ${FLAT} (flat)`,
      ok: Math.max(first, ...later) <= first * FLAT,
    },
  ];
}

function ms(value: number): string {
  return `${value < 1 ? value.toFixed(3) : value.toFixed(1)} ms`;
}
