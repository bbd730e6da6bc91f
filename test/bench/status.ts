import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CLI = join(import.meta.dirname, "..", "..", "packages", "cli", "bin", "slipway.mjs");
const ROUNDS = 15;

/** A cold `slipway status` in a repository with a finished run, and a bare Node, alternating. */
export async function benchStatus() {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  const repository = join(folder, "demo");
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_STATE_HOME: join(folder, "state"),
    NODE_COMPILE_CACHE: join(folder, "cache"),
  };
  const start = (args: string[]) => execFileSync(process.execPath, args, { cwd: repository, env, stdio: "ignore" });
  execFileSync(process.execPath, [CLI, "demo", "--json", "--keep", repository], { cwd: folder, env, stdio: "ignore" });
  start([CLI, "status"]);

  const bare: number[] = [];
  const status: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(timed(() => start(["-e", "0"])));
    status.push(timed(() => start([CLI, "status"])));
  }
  const ratio = median(status) / median(bare);
  return [
    {
      what: "CLI `status`, cold, against `node -e 0`",
      value: `${median(status).toFixed(0)} ms against ${median(bare).toFixed(0)} ms`,
      ratio,
      bar: "≤ 2.2 ×",
      ok: ratio <= 2.2,
    },
  ];
}

function timed(work: () => void): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}
