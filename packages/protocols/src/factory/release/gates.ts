import type { CodeIndexEntry } from "../code-index/entry.ts";
import { refOf, splitRef } from "../code-index/entry.ts";
import { inRange } from "../code-index/range.ts";
import { RELEASE_GATES, type GateFailure, type ReleaseGate } from "./schema.ts";

/** A module of the release with the facts the gates need. */
export interface ReleasedModule {
  readonly module_ref: string;
  readonly ship_ref: string;
  /** Of its shipped contract. */
  readonly fingerprint: string;
  /** The dependencies of its index entry: `MM-…@range`. */
  readonly dependencies: readonly string[];
  /** The versions it was built against, recorded when it shipped: version to fingerprint. */
  readonly built_against: Readonly<Record<string, string>>;
}

export interface ReleaseFacts {
  readonly modules: readonly ReleasedModule[];
  /** The index entry; null if there is none. */
  readonly entryOf: (ref: string) => Pick<CodeIndexEntry, "status" | "superseded_by"> | null;
  /** All versions the code index has of a module. */
  readonly versionsOf: (moduleId: string) => readonly Pick<CodeIndexEntry, "module_id" | "version" | "status">[];
}

type Culprit = GateFailure["culprits"][number];
type Check = (facts: ReleaseFacts) => Culprit[];

const CHECKS: Readonly<Record<ReleaseGate, { readonly check: Check; readonly explanation: string }>> = {
  dependency_check: {
    check: dependencyCulprits,
    explanation:
      "Every dependency of a released module has to be in the release itself, with status SHIPPED. Include it, or leave the dependent out.",
  },
  fingerprint_check: {
    check: fingerprintCulprits,
    explanation: "A consumer has to be built against the contract that its producer ships. Ship the consumer again against that version.",
  },
  deprecation_check: {
    check: deprecationCulprits,
    explanation:
      "A module in use must not depend on one that is DEPRECATED or SUPERSEDED. Move to the replacement, or leave the dependent out.",
  },
  code_index_check: {
    check: indexCulprits,
    explanation: "Every released module must be in the code index with status SHIPPED. Leave out modules that are no longer in use.",
  },
};

/** Runs all four gates, even if one fails. */
export function evaluateGates(facts: ReleaseFacts): {
  readonly gates: Record<ReleaseGate, "PASS" | "FAIL">;
  readonly failures: GateFailure[];
} {
  const failures = RELEASE_GATES.flatMap((gate): GateFailure[] => {
    const culprits = CHECKS[gate].check(facts);
    return culprits.length === 0 ? [] : [{ gate, culprits, explanation: CHECKS[gate].explanation }];
  });
  const failed = (gate: ReleaseGate) => failures.some((failure) => failure.gate === gate);
  const verdict = (gate: ReleaseGate) => (failed(gate) ? "FAIL" : "PASS");
  const [dependency_check, fingerprint_check, deprecation_check, code_index_check] = RELEASE_GATES.map(verdict) as [
    "PASS",
    "PASS",
    "PASS",
    "PASS",
  ];
  return { gates: { dependency_check, fingerprint_check, deprecation_check, code_index_check }, failures };
}

function dependencyCulprits({ modules, entryOf }: ReleaseFacts): Culprit[] {
  return pairs(modules).flatMap(({ consumer, range, producers }) => {
    const shipped = producers.some(({ module_ref }) => entryOf(module_ref)?.status === "SHIPPED");
    if (shipped) return [];
    const [producer] = producers;
    const problem =
      producer === undefined
        ? "is not in the release"
        : `is in the release as ${producer.module_ref}, which is ${entryOf(producer.module_ref)?.status ?? "not in the code index"}`;
    return [{ module_ref: consumer.module_ref, reference: range, problem: `${range} ${problem}` }];
  });
}

function fingerprintCulprits({ modules }: ReleaseFacts): Culprit[] {
  return pairs(modules).flatMap(({ consumer, range, producers }) => {
    const { module_id } = splitRef(range);
    const built = Object.entries(consumer.built_against).filter(([ref]) => splitRef(ref).module_id === module_id);
    if (producers.length === 0) return [];
    if (built.length === 0)
      return [
        { module_ref: consumer.module_ref, reference: range, problem: `has no record of the version of ${module_id} it was built against` },
      ];
    return producers
      .filter(({ fingerprint }) => !built.some(([, against]) => against === fingerprint))
      .map(({ module_ref, fingerprint }) => ({
        module_ref: consumer.module_ref,
        reference: module_ref,
        problem: `was built against ${built.map(([ref, against]) => `${ref} (${against})`).join(", ")}; ${module_ref} has ${fingerprint}`,
      }));
  });
}

function deprecationCulprits({ modules, entryOf, versionsOf }: ReleaseFacts): Culprit[] {
  return modules
    .filter(({ module_ref }) => entryOf(module_ref)?.status !== "DEPRECATED")
    .flatMap(({ module_ref, dependencies, built_against }) =>
      dependencies.flatMap((range): Culprit[] => {
        const used = usedVersions(range, Object.keys(built_against), versionsOf);
        return used.flatMap((reference) => {
          const entry = entryOf(reference);
          if (entry === null || entry.status === "SHIPPED") return [];
          const instead = entry.superseded_by === null ? "it has no replacement" : `use ${entry.superseded_by}`;
          return [{ module_ref, reference, problem: `${reference} is ${entry.status}; ${instead}` }];
        });
      }),
    );
}

/** The versions it was built against; without a record, every version in the range. */
function usedVersions(range: string, built: readonly string[], versionsOf: ReleaseFacts["versionsOf"]): string[] {
  const { module_id, version } = splitRef(range);
  const exact = built.filter((ref) => splitRef(ref).module_id === module_id);
  if (exact.length > 0) return exact;
  return versionsOf(module_id)
    .filter((entry) => inRange(entry.version, version))
    .map(refOf);
}

function indexCulprits({ modules, entryOf }: ReleaseFacts): Culprit[] {
  return modules.flatMap(({ module_ref }): Culprit[] => {
    const entry = entryOf(module_ref);
    if (entry?.status === "SHIPPED") return [];
    return [
      { module_ref, reference: null, problem: entry === null ? "has no entry in the code index" : `is ${entry.status} in the code index` },
    ];
  });
}

/** Every consumer with each of its dependencies, and the modules of the release that provide it. */
function pairs(modules: readonly ReleasedModule[]) {
  const byId = Map.groupBy(modules, ({ module_ref }) => splitRef(module_ref).module_id);
  return modules.flatMap((consumer) =>
    consumer.dependencies.map((range) => {
      const { module_id, version } = splitRef(range);
      const producers = (byId.get(module_id) ?? []).filter(({ module_ref }) => inRange(splitRef(module_ref).version, version));
      return { consumer, range, producers };
    }),
  );
}
