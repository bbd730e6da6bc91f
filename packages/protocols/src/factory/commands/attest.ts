import { jsonLine } from "../../surface/escape.ts";
import { SlipwayError } from "@slipway/agents/errors";
import { moduleRef } from "../code-index/entry.ts";
import { attestTask, wakeUp, type AttestedTask } from "../escalation/attest.ts";
import { questionAbout } from "../views/escalations.ts";
import type { Arguments, RunCommand } from "../../surface/command.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withFactory } from "./with-factory.ts";
import { personOf } from "../../surface/caller.ts";

/** No run does this: only a person turns HALTED into SHIPPED, and the escalation records the reason. */
export const run: RunCommand = (args, io) =>
  withFactory(io, async (factory) => {
    const [task = ""] = args.positionals;
    const given = { rationale: rationaleFrom(args), module_refs: modulesFrom(args) };
    const by = personOf(io);
    const attested = await attestTask(factory, by, task, given, new Date(factory.records.clock.now()).toISOString());
    const question = questionAbout(await factory.questions(), attested.escalation_id);
    if (question !== null) await factory.records.answer({ id: question.id, value: wakeUp(attested), by });
    if (args.flag("json")) io.out(jsonLine({ ok: true, ...attested, next: "slipway resume" }));
    else io.out(`${inWords(attested)}\n  next: slipway resume\n`);
    return EXIT.done;
  });

function inWords({ task_id, escalation_id, module_refs }: AttestedTask): string {
  const by = module_refs.length === 0 ? "without a module" : `by ${module_refs.join(", ")}`;
  return `${task_id} is SHIPPED, resolved ${by}; ${escalation_id} records your rationale.`;
}

function rationaleFrom(args: Arguments): string {
  const text = args.text("rationale")?.trim() ?? "";
  if (text !== "") return text;
  throw new SlipwayError("invalid_cli_args", "slipway factory attest needs --rationale TEXT.", {
    suggested_next_actions: ['Give the reason: --rationale "…"'],
  });
}

function modulesFrom(args: Arguments): string[] {
  const refs = (args.text("module") ?? "").split(",").map((ref) => ref.trim());
  const named = refs.filter((ref) => ref !== "");
  const wrong = named.filter((ref) => !moduleRef.safeParse(ref).success);
  if (wrong.length === 0) return named;
  throw new SlipwayError(
    "invalid_cli_args",
    `--module: ${wrong.join(", ")} ${wrong.length === 1 ? "is" : "are"} not written as MM-…@x.y.z.`,
    {
      suggested_next_actions: ["Name modules with their versions, such as MM-parse_date@1.0.0."],
    },
  );
}
