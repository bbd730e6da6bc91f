import { setTimeout as sleepFor } from "node:timers/promises";
import type { Clock } from "@slipway/durable/environment";
import { openBudget, type Budget } from "./budget/budget.ts";
import type { Configuration } from "./config/load.ts";
import type { ApprovalKey } from "./change/land/approvals/key.ts";
import { featureOperations, type FeatureOperations } from "./change/feature/operations.ts";
import type { FeatureDependencies } from "./change/feature/dependencies.ts";
import { openNotifier, type Notifier } from "./notify/notifier.ts";
import type { Repository } from "./host/git/repository.ts";
import { openDecisions, type Decisions } from "./record/decisions/decisions.ts";
import type { FrontDoor } from "./record/operations/door.ts";
import { createRedactor } from "./host/redaction/redactor.ts";
import { secretsOf } from "./host/redaction/secrets.ts";
import type { Records } from "./record/storage.ts";
import { openTrials, type Trials } from "./change/judge/trials/trials.ts";
import type { Sandbox } from "./host/sandbox/contract.ts";

/** The deterministic side, complete: what a protocol runs on. */
export interface Kernel {
  readonly records: Records;
  readonly repository: Repository;
  readonly configuration: Configuration;
  readonly features: FeatureOperations;
  readonly trials: Trials;
  readonly budget: Budget;
  readonly decisions: Decisions;
  /** Tells people, as `notifications` in policy.yaml says. */
  readonly notifier: Notifier;
  readonly door: FrontDoor;
  readonly clock: Clock;
  /** Opened on first use; agents work in it as gates do. */
  readonly sandbox: () => Promise<Sandbox>;
  /** The same without the secrets of this machine's environment, in whatever form. */
  readonly conceal: <T>(value: T) => T;
}

export interface KernelOptions {
  readonly records: Records;
  readonly repository: Repository;
  readonly configuration: Configuration;
  readonly approvalKey: ApprovalKey;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly sandbox: () => Promise<Sandbox>;
  readonly sleep?: FeatureDependencies["sleep"];
  readonly random?: FeatureDependencies["random"];
}

const pause: FeatureDependencies["sleep"] = (ms, signal) => sleepFor(ms, undefined, { ...(signal && { signal }) });

export function openKernel(options: KernelOptions): Kernel {
  const { records, repository, configuration, hostEnv } = options;
  const secrets = secretsOf(hostEnv);
  const dependencies: FeatureDependencies = {
    repository,
    layout: records.layout,
    db: records.database.db,
    sqlite: records.database.sqlite,
    door: records.door,
    journal: records.journal,
    objects: records.objects,
    configuration,
    clock: records.clock,
    sleep: options.sleep ?? pause,
    random: options.random ?? Math.random,
    approvalKey: options.approvalKey,
    redactor: createRedactor({ secrets }),
    hostEnv,
    sandbox: options.sandbox,
  };
  const features = featureOperations(dependencies);
  const budget = openBudget({
    db: records.database.db,
    door: records.door,
    objects: records.objects,
    clock: records.clock,
    ids: records.ids,
    config: configuration.agents?.runtime.budgets,
  });
  const conceal = createRedactor({ secrets, patterns: false }).value;
  const notifier = openNotifier({
    config: configuration.policy.notifications,
    db: records.database.db,
    door: records.door,
    inbox: records.inbox,
    clock: records.clock,
    ids: records.ids,
    env: hostEnv,
    folder: records.layout.state,
    conceal,
  });
  return {
    records,
    repository,
    configuration,
    features,
    trials: openTrials(dependencies),
    budget,
    decisions: openDecisions({ db: records.database.db, door: records.door }),
    notifier,
    door: records.door,
    clock: records.clock,
    sandbox: options.sandbox,
    conceal,
  };
}
