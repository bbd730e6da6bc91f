import { SlipwayError } from "@slipway/agents/errors";
import { openDecisions, type Decisions } from "@slipway/kernel/record/decisions/decisions";
import type { Call } from "@slipway/kernel/record/operations/call";
import { personOf } from "../../surface/caller.ts";
import type { Arguments, RunCommand } from "../../surface/command.ts";
import { jsonLine } from "../../surface/escape.ts";
import { EXIT } from "../../surface/exit-codes.ts";
import { withRun } from "./with-run.ts";

/** A change of the ledger that a person orders: which entry, in which scope, and why. */
interface LedgerOrder {
  readonly decisions: Decisions;
  readonly call: Call;
  readonly scope: string;
  readonly id: string;
  readonly comment: string;
}

interface LedgerAction {
  readonly needs: readonly ("id" | "comment")[];
  /** Ids of the entries that have changed. */
  perform(order: LedgerOrder): Promise<readonly string[]>;
  readonly done: string;
}

const ACTIONS: Readonly<Record<string, LedgerAction>> = {
  reinstate: {
    needs: ["id", "comment"],
    perform: async ({ decisions, call, scope, id, comment }) => [
      (await decisions.reinstate(call, scope, id, { method: "checked by a person", evidence: comment })).id,
    ],
    done: "in force again",
  },
  discard: {
    needs: ["id", "comment"],
    perform: async ({ decisions, call, scope, id, comment }) => (await decisions.discard(call, scope, id, comment)).invalidated,
    done: "discarded",
  },
  suspend_dependents: {
    needs: ["id"],
    perform: async ({ decisions, call, scope, id }) => (await decisions.cascade(call, scope, id)).suspended,
    done: "suspended",
  },
  compact: {
    needs: [],
    perform: ({ decisions, call, scope }) => decisions.compact(call, scope),
    done: "in the archive; `slipway criticality ledger --all` shows them",
  },
};

/** Changes the ledger of a run by one operation. Entries are never deleted, and keep their content. */
export const run: RunCommand = (args, io) =>
  withRun(args, io, async ({ info }, { records }) => {
    const [name = "", id = ""] = args.positionals;
    const action = actionNamed(name, id, args);
    const decisions = openDecisions({ db: records.database.db, door: records.door });
    const call = { actor: personOf(io), operationId: records.ids.next("decision") };
    const comment = args.text("comment")?.trim() ?? "";
    const changed = await action.perform({ decisions, call, scope: `run:${info.runId}`, id, comment });
    if (args.flag("json")) io.out(jsonLine({ run: info.runId, action: name, changed }));
    else io.out(changed.length === 0 ? "Nothing changes.\n" : `${changed.join(", ")}: ${action.done}\n`);
    return EXIT.done;
  });

function actionNamed(name: string, id: string, args: Arguments): LedgerAction {
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (action === undefined)
    throw misused(`There is no action ${JSON.stringify(name)}.`, `Choose one of ${Object.keys(ACTIONS).join(", ")}.`);
  if (action.needs.includes("id") && id === "")
    throw misused(`${name} needs the id of a decision.`, "`slipway criticality ledger` lists them.");
  if (action.needs.includes("comment") && (args.text("comment")?.trim() ?? "") === "")
    throw misused(`${name} needs your reason.`, 'Add --comment "…".');
  return action;
}

function misused(what: string, next: string): SlipwayError {
  return new SlipwayError("invalid_cli_args", what, { suggested_next_actions: [next] });
}
