import type { Arguments } from "../../surface/command.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT, type ExitCode } from "../../surface/exit-codes.ts";
import type { Surface } from "../../surface/surface.ts";
import { summaryText } from "../benchmark/describe.ts";
import { summaryOf } from "../benchmark/result.ts";
import { allResults } from "../benchmark/store.ts";
import { BENCHMARK_LEVELS } from "../benchmark/suite/case.ts";

/** Every stored result, the oldest first. */
export function showHistory(args: Arguments, io: Surface): Promise<ExitCode> {
  return io.reader(async ({ records }) => {
    const wanted = args.text("level");
    const results = (await allResults(records.database.db)).filter(({ level }) => wanted === undefined || level === wanted);
    if (args.flag("json")) io.out(jsonLine(results.map((result) => ({ ...result, summary: summaryOf(result.cases) }))));
    else if (results.length === 0) io.out("No benchmark has ended yet. Run one: slipway criticality benchmark\n");
    for (const { level, suite, run_id, models, cases } of args.flag("json") ? [] : byLevel(results)) {
      const named = Object.entries(models).map(([role, model]) => `${role} ${model}`);
      io.out(`${level} (suite ${suite}), ${run_id}: ${summaryText(summaryOf(cases))}\n  ${named.join(", ")}\n`);
    }
    return EXIT.done;
  });
}

function byLevel<T extends { readonly level: string }>(results: readonly T[]): T[] {
  return BENCHMARK_LEVELS.flatMap((level) => results.filter((one) => one.level === level));
}
