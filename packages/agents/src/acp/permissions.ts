import type { PermissionOption, RequestPermissionOutcome, ToolKind } from "@agentclientprotocol/sdk/unstable";
import { z } from "zod";
import type { NativeTool } from "../tools/native-tools.ts";

/** The permissions of the pack; paths are relative to it. */
export interface PackRights {
  readonly mayRead: (path: string) => boolean;
  readonly mayWrite: (path: string) => boolean;
}

export interface WantedPermission {
  readonly kind: ToolKind;
  /** Every path the agent names; null for one outside the pack. */
  readonly paths: readonly (string | null)[];
}

export interface PermissionVerdict {
  readonly allowed: boolean;
  readonly reason: string;
}

type Right = "read" | "write" | "look" | "run" | "none";

/** The permission each kind of tool needs. Tools that work neither on files of the pack nor in its sandbox are refused. */
const NEEDS: Readonly<Record<ToolKind, Right>> = {
  read: "read",
  search: "look",
  think: "look",
  edit: "write",
  delete: "write",
  move: "write",
  execute: "run",
  fetch: "none",
  switch_mode: "none",
  other: "none",
};

/** What a role must have for each kind; one of them is enough. A thought needs nothing. */
const TOOLS: Readonly<Partial<Record<ToolKind, readonly NativeTool[]>>> = {
  read: ["read"],
  search: ["ls", "glob", "grep"],
  edit: ["write", "edit"],
  delete: ["delete"],
  move: ["write"],
  execute: ["run"],
};

export function judge(
  { kind, paths }: WantedPermission,
  { mayRead, mayWrite }: PackRights,
  granted: readonly NativeTool[],
): PermissionVerdict {
  const right = NEEDS[kind];
  const needed = TOOLS[kind];
  if (needed !== undefined && !needed.some((tool) => granted.includes(tool)))
    return refused(`${kind} is not allowed: the role has no tool for it`);
  if (right === "run") return { allowed: true, reason: "a command in the sandbox of the pack" };
  if (right === "none") return refused(`${kind} is not allowed: only files of the context pack may be read and changed`);
  if (paths.includes(null)) return refused("a path outside the context pack");
  const named = paths.filter((path) => path !== null);
  if (named.length === 0 && right !== "look") return refused(`${kind} without a path`);
  const mayUse = right === "write" ? mayWrite : mayRead;
  const barred = named.find((path) => !mayUse(path));
  if (barred !== undefined) return refused(`${barred} may not be ${right === "write" ? "changed" : "read"}`);
  return { allowed: true, reason: right === "look" ? "listing inside the pack" : `${right} inside the pack` };
}

function refused(reason: string): PermissionVerdict {
  return { allowed: false, reason };
}

/** Once rather than always, so that every request is judged and recorded. */
const PREFERRED = { true: ["allow_once", "allow_always"], false: ["reject_once", "reject_always"] } as const;

export function outcomeFor({ allowed }: PermissionVerdict, options: readonly PermissionOption[]): RequestPermissionOutcome {
  for (const kind of PREFERRED[`${allowed}`]) {
    const option = options.find((offered) => offered.kind === kind);
    if (option !== undefined) return { outcome: "selected", optionId: option.optionId };
  }
  return { outcome: "cancelled" };
}

const inputWithPath = z.looseObject({
  file_path: z.string().optional(),
  filePath: z.string().optional(),
  abs_path: z.string().optional(),
  path: z.string().optional(),
  notebook_path: z.string().optional(),
});

interface NamesPaths {
  readonly locations?: readonly { readonly path: string }[] | null | undefined;
  readonly content?: readonly object[] | null | undefined;
  readonly rawInput?: unknown;
}

/** Agents name paths in different fields; all of them count. */
export function pathsIn({ locations, content, rawInput }: NamesPaths): string[] {
  const input = inputWithPath.safeParse(rawInput);
  const named = input.success
    ? [input.data.file_path, input.data.filePath, input.data.abs_path, input.data.path, input.data.notebook_path]
    : [];
  const changed = (content ?? []).flatMap((item) => ("path" in item && typeof item.path === "string" ? [item.path] : []));
  const found = [...(locations ?? []).map(({ path }) => path), ...changed, ...named.filter((path) => path !== undefined)];
  return [...new Set(found)];
}
