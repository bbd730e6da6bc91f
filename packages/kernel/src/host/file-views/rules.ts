import { isContractSurface, type Level } from "./levels.ts";

/** A rule for a file, or for a folder with everything below it ("." is everything). The longest matching path decides, then the later rule. */
export type PackRule = { readonly path: string; readonly reason: string } & (
  | { readonly level: "FULL"; readonly permission: "read" | "write" }
  /** For a module's folder: only its contract surface is visible. */
  | { readonly level: "CONTRACT_ONLY" }
  | { readonly level: "SUMMARY_ONLY"; readonly summary: string }
  | { readonly level: "METADATA_ONLY" }
  | { readonly level: null; readonly sealed: boolean }
);

/** The effect of a rule on one path. */
export type AccessRuling = { readonly reason: string; readonly rule: string } & (
  | { readonly kind: "shown"; readonly level: Exclude<Level, "METADATA_ONLY">; readonly writable: boolean; readonly summary: string | null }
  | { readonly kind: "named" }
  | { readonly kind: "absent"; readonly sealed: boolean }
);

export type Rulings = (path: string) => AccessRuling;

const NOTHING_GRANTS: AccessRuling = { kind: "absent", sealed: false, reason: "no rule of the pack grants it", rule: "." };

export function rulingsOf(rules: readonly PackRule[]): Rulings {
  const byPath = new Map(rules.map((rule) => [rule.path, rule]));
  return (path) => {
    for (let at = path; ; at = parentOf(at)) {
      const rule = byPath.get(at);
      if (rule !== undefined) return ruling(rule, path);
      if (at === ".") return NOTHING_GRANTS;
    }
  };
}

function ruling(rule: PackRule, path: string): AccessRuling {
  const about = { reason: rule.reason, rule: rule.path };
  switch (rule.level) {
    case "FULL":
      return { ...about, kind: "shown", level: "FULL", writable: rule.permission === "write", summary: null };
    case "CONTRACT_ONLY":
      return isContractSurface(rule.path, path)
        ? { ...about, kind: "shown", level: "CONTRACT_ONLY", writable: false, summary: null }
        : { ...about, kind: "absent", sealed: true };
    case "SUMMARY_ONLY":
      return { ...about, kind: "shown", level: "SUMMARY_ONLY", writable: false, summary: rule.summary };
    case "METADATA_ONLY":
      return { ...about, kind: "named" };
    case null:
      return { ...about, kind: "absent", sealed: rule.sealed };
  }
}

export function parentOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end < 0 ? "." : path.slice(0, end);
}
