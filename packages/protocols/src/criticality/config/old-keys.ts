export type TomlTable = Record<string, unknown>;

interface OldKey {
  readonly section: string;
  readonly key: string;
  /** The section and key that replace it; null if it has no effect any more. */
  readonly becomes: readonly [section: readonly string[], key: string] | null;
  readonly say?: string;
}

const TARGETS = ["mass_defect", "targets"] as const;

/** Keys of earlier configurations that are still read. */
const OLD_KEYS: readonly OldKey[] = [
  { section: "circuit_breaker", key: "function_failure_threshold", becomes: [["circuit_breaker"], "max_attempts_per_function"] },
  { section: "mass_defect", key: "max_cyclomatic_complexity", becomes: [TARGETS, "max_cyclomatic_complexity"] },
  { section: "mass_defect", key: "max_function_length", becomes: [TARGETS, "max_function_length_lines"] },
  { section: "mass_defect", key: "target_coverage", becomes: [TARGETS, "min_test_coverage"] },
  { section: "orchestrator", key: "state_persistence_path", becomes: null, say: "the state is in the run's folder" },
  { section: "orchestrator", key: "notifications", becomes: null, say: "use [notifications]" },
];

/** Moves old keys of `table`, in place, to the keys that replace them; a new key that is also given wins. One warning each. */
export function replaceOldKeys(table: TomlTable): string[] {
  const warnings: string[] = [];
  for (const { section, key, becomes, say } of OLD_KEYS) {
    const from = table[section];
    if (!isTable(from) || !Object.hasOwn(from, key)) continue;
    const value = from[key];
    delete from[key];
    if (becomes === null) {
      warnings.push(`${section}.${key} has no effect: ${say}.`);
      continue;
    }
    const [path, name] = becomes;
    warnings.push(`${section}.${key} is deprecated: write ${path.join(".")}.${name}.`);
    const into = tableAt(table, path);
    if (into !== null && !Object.hasOwn(into, name)) into[name] = value;
  }
  return warnings;
}

/** The table at `path`, made if it is missing; null if something else is there, which the schema reports. */
function tableAt(table: TomlTable, path: readonly string[]): TomlTable | null {
  let found = table;
  for (const key of path) {
    const next = (found[key] ??= {});
    if (!isTable(next)) return null;
    found = next;
  }
  return found;
}

export function isTable(value: unknown): value is TomlTable {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
