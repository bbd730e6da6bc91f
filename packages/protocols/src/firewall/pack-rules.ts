import { rulingsOf, type PackRule } from "@slipway/kernel/host/file-views/rules";
import { canonicalPath } from "@slipway/kernel/paths/paths";
import { CONFIGURATION, PROJECTIONS, twinsOf } from "./judged-path.ts";
import { judgeAccess, type Access, type RoleGrant } from "./role-grant.ts";

/** What a role may do with the files of a folder; null is nothing. */
type Share = Access | null;

const RANK: readonly Share[] = [null, "read", "write"];
const isBelow = (one: Share, other: Share) => RANK.indexOf(one) < RANK.indexOf(other);

/**
 * The grant as rules of a context pack. `files` exist or may be created. `unlisted` is the share of every other path: where it is "write", a
 * role may create files that nobody has named, and the grant judges them afterwards. A folder of which the role has less than of its parent
 * gets one rule; more is given file by file, so that nothing else can be created beside them.
 */
export function packRulesOf(grant: RoleGrant, files: readonly string[], unlisted: Share = null): PackRule[] {
  const twin = twinsOf(files);
  const shareOf = (path: string): Share => {
    const may = (access: Access) => judgeAccess(grant, access, path, twin).allowed;
    if (may("write")) return "write";
    return may("read") ? "read" : null;
  };
  const shares = new Map([...files, ...grant.outputs].filter(isPackPath).map((path) => [path, shareOf(path)]));
  const closed = [CONFIGURATION, PROJECTIONS, ...(grant.forbidden ?? [])].map((path) => ruleFor(grant, path, null));
  const wide = [ruleFor(grant, ".", unlisted), ...closed];
  return [...wide, ...narrowRules({ grant, wide, shares }, "", [...shares.keys()], unlisted)];
}

/** No pack contains any other path. */
function isPackPath(path: string): boolean {
  const canonical = canonicalPath(path);
  return canonical.ok && canonical.path === path;
}

interface Narrowing {
  readonly grant: RoleGrant;
  readonly wide: readonly PackRule[];
  readonly shares: ReadonlyMap<string, Share>;
}

/** Rules for what differs from the share of the folder around it. `folder` ends with a slash, unless it is the root. */
function narrowRules(narrowing: Narrowing, folder: string, paths: readonly string[], around: Share): PackRule[] {
  const { grant, wide, shares } = narrowing;
  const names = Map.groupBy(paths, (path) => path.slice(folder.length).split("/", 1)[0] ?? "");
  return [...names].flatMap(([name, inside]) => {
    const path = `${folder}${name}`;
    const given = wide.some((rule) => rule.path === path) ? shareIn(wide, path) : around;
    const [first = null, ...others] = new Set(inside.map((file) => shares.get(file) ?? null));
    if (others.length === 0 && first === given) return [];
    if (others.length === 0 && isBelow(first, given)) return [ruleFor(grant, path, first)];
    const own = shares.get(path);
    const rest = inside.filter((file) => file !== path);
    const ownRule = own === undefined || own === given ? [] : [ruleFor(grant, path, own)];
    return [...ownRule, ...narrowRules(narrowing, `${path}/`, rest, own === undefined ? given : own)];
  });
}

function shareIn(rules: readonly PackRule[], path: string): Share {
  const ruling = rulingsOf(rules)(path);
  if (ruling.kind !== "shown") return null;
  return ruling.writable ? "write" : "read";
}

function ruleFor({ role }: RoleGrant, path: string, share: Share): PackRule {
  if (share === null) return { path, level: null, sealed: false, reason: `not part of the work of the ${role}` };
  return { path, level: "FULL", permission: share, reason: `the ${role} may ${share === "write" ? "change" : "read"} it` };
}
