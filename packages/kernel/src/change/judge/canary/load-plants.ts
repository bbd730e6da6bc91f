import { joined, type LoadPlant } from "./plant.ts";

/** What fails at the end of a file, by language. A language without a row has no code that runs when a file is loaded. */
const EXCEPTIONS: readonly (readonly [file: RegExp, statement: (left: string, right: string) => string])[] = [
  [/(?<!\.d)\.[cm]?[jt]sx?$/, (left, right) => `throw new Error(["${left}", "${right}"].join("-"));`],
  [/\.py$/, (left, right) => `raise RuntimeError("-".join(["${left}", "${right}"]))`],
  [/\.go$/, (left, right) => `func init() {\n\tparts := []string{"${left}", "${right}"}\n\tpanic(parts[0] + "-" + parts[1])\n}`],
];

/** Whether an exception can be planted in a file of this name. */
export function canFailAtLoad(path: string): boolean {
  return EXCEPTIONS.some(([file]) => file.test(path));
}

/** Null where an exception cannot be planted. */
export function loadPlant(path: string, text: string, token: readonly [string, string]): LoadPlant | null {
  const [, statement] = EXCEPTIONS.find(([file]) => file.test(path)) ?? [];
  if (statement === undefined) return null;
  return {
    kind: "load",
    path,
    text: `${text}${text.endsWith("\n") || text === "" ? "" : "\n"}\n${statement(...token)}\n`,
    token: joined(token),
  };
}
