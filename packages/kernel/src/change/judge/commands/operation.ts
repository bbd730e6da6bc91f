import { sandboxName } from "../../../host/sandbox/contract.ts";
import { treeOf } from "../../../host/git/fast-path/git-queries.ts";
import { restorePaths } from "../../../host/git/restore-paths.ts";
import { placesIn } from "../../../host/places.ts";
import type { Operation } from "../../../record/operations/operation.ts";
import type { FeatureDependencies } from "../../feature/dependencies.ts";
import { findFeature } from "../../feature/store.ts";
import { recordCheck } from "../evidence/checks.ts";
import { COMMAND } from "../evidence/gate-queries.ts";
import { gateRequest } from "../gate-request.ts";
import type { GateSlots } from "../gates/slots.ts";
import { toolchainOf } from "../toolchain.ts";
import { withTree } from "../trials/with-tree.ts";
import { commandsInput, type CommandsInput } from "./input.ts";
import { runCommands, type CommandsWatch, type RanCommand } from "./run-commands.ts";
import { assertThrowaway } from "./throwaway.ts";

export interface CommandResult extends RanCommand {
  /** The id of its row in `checks`; null for a skipped command, which has none. */
  readonly check_id: string | null;
}

export interface CommandsSummary {
  /** The tree on which the commands ran. */
  readonly tree: string;
  readonly sandbox: string;
  readonly results: readonly CommandResult[];
}

type Seen = Omit<CommandsSummary, "results"> & { readonly results: readonly RanCommand[] };

/** Runs commands on a tree of the feature in a separate folder, and records each as an observation. The worktree is not touched. */
export function runCommandsOperation(
  dependencies: FeatureDependencies,
  slots: GateSlots,
  watch: CommandsWatch = {},
): Operation<CommandsInput, Seen, CommandsSummary> {
  const { db, repository, hostEnv, objects } = dependencies;
  return {
    name: "commands.run",
    roles: ["orchestrator", "system"],
    input: commandsInput,
    unclaimed: true,
    async effect(input, { operationId }) {
      const feature = await findFeature(db, input.feature_id);
      const whole = input.tree === "base" ? await treeOf(repository, feature.base_commit) : feature.tree;
      const { restored } = input;
      const tree = restored === undefined ? whole : (await restorePaths(repository, whole, restored.from, restored.paths)).tree;
      const { stateHome } = placesIn(hostEnv);
      return slots.within(async () => {
        const sandbox = await dependencies.sandbox();
        const toolchain = await toolchainOf(dependencies, sandbox);
        const results = await withTree({ repository, stateHome, name: operationId, tree }, async (checkout) => {
          const settings = gateRequest(dependencies, toolchain, { ...NO_GATE, ...checkout, sandbox });
          assertThrowaway(input.commands, {
            tracked: await checkout.trackedPaths(),
            shared: (settings.shared ?? []).map(({ to }) => to),
          });
          return runCommands(checkout, { ...watch, input, settings, keepLog: (log) => objects.put(log) });
        });
        return { tree, sandbox: sandboxName(sandbox), results };
      }, watch.signal);
    },
    async commit(tx, { feature_id }, { tree, sandbox, results }, { operationId, at }) {
      const { run_id } = await findFeature(tx, feature_id);
      const recorded: CommandResult[] = [];
      for (const [index, result] of results.entries()) {
        const { name, status, exit_code, log_digest, tests } = result;
        if (status === "skipped") {
          recorded.push({ check_id: null, ...result });
          continue;
        }
        const id = `${operationId}#command-${index + 1}`;
        const counts = tests === null ? null : { tests };
        await recordCheck(tx, { id, run_id, feature_id, name, kind: COMMAND, tree, status, exit_code, counts, log_digest, at });
        recorded.push({ check_id: id, ...result });
      }
      return { tree, sandbox, results: recorded };
    },
    event: ({ feature_id }, { tree, results }) => ({
      feature_id,
      tree,
      commands: results.map(({ name, status, exit_code }) => ({ name, status, exit_code })),
    }),
  };
}

/** For the settings of a gate without a gate. */
const NO_GATE = { profile: "", mode: "", overrides: {}, logFolder: "" } as const;
