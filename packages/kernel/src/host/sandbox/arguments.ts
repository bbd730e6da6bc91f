import type { FolderAccess, Limits, SharedPath } from "./contract.ts";
import { FORWARD_SCRIPT, FORWARD_SCRIPT_AT, GATEWAY_AT } from "./forward-script.ts";
import type { SandboxHost } from "./host.ts";
import { placeOn, stagedSources } from "./stage.ts";
import type { Descriptor } from "../launcher/protocol.ts";

/** A request whose paths are real, absolute and checked. */
export interface SandboxPlan {
  readonly worktree: string;
  readonly cwd: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly network: boolean;
  readonly readOnly: readonly string[];
  /** `to` is absolute. */
  readonly shared: readonly SharedPath[];
  /** `to` is absolute. */
  readonly outputs: readonly SharedPath[];
  /** Contains the folders `upper` and `work`. */
  readonly layer: string | null;
  /** The kind of the worktree's .git on the host, after the mount points are made; "none" is not hidden. */
  readonly git: "file" | "directory" | "none";
  /** `path` is absolute. */
  readonly folders: readonly FolderAccess[];
  readonly home: string | null;
  /** The folder with the socket of the gateway that reaches the named hosts. */
  readonly gateway: string | null;
  /** An empty folder, the second lower folder of overlays over shown folders. Null without such overlays. */
  readonly veil: string | null;
  readonly limits: Limits;
}

export const SANDBOX_HOME = "/home/slipway";
const SANDBOX_UID = "1000";
const SYSTEM_PATH = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"];

/** Files of /etc that the sandbox writes itself, without users and names of the host. */
const OWN_FILES = [
  {
    at: "/etc/passwd",
    text: `root:x:0:0::/root:/bin/sh\nslipway:x:1000:1000::${SANDBOX_HOME}:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n`,
  },
  { at: "/etc/group", text: "root:x:0:\nslipway:x:1000:\nnogroup:x:65534:\n" },
];
const OWN_HOSTS = { at: "/etc/hosts", text: "127.0.0.1 localhost\n::1 localhost\n" };

/** Descriptors of bubblewrap after the usual three. Then come the files, the filter and the environment. */
export const STATUS_FD = 3;
export const ARGUMENTS_FD = 4;
const FIRST_FILE_FD = 5;

/** A file that is copied into the sandbox: from the host, or with a given text. */
type SandboxFile = { readonly at: string } & ({ readonly from: string } | { readonly text: string });

/** In the order of their descriptors, from `FIRST_FILE_FD` on. */
export function sandboxFiles({ network, gateway }: Pick<SandboxPlan, "network" | "gateway">, host: SandboxHost): SandboxFile[] {
  const copied = [...host.etcFiles, ...(network ? host.networkFiles : [])].map((path) => ({ at: path, from: path }));
  const script = gateway === null ? [] : [{ at: FORWARD_SCRIPT_AT, text: FORWARD_SCRIPT }];
  return [...OWN_FILES, ...(network ? [] : [OWN_HOSTS]), ...script, ...copied];
}

/** The descriptors from `ARGUMENTS_FD` on. */
export function sandboxDescriptors(plan: SandboxPlan, host: SandboxHost): Descriptor[] {
  return [
    // Through a pipe, so that the host's process list does not show the values of variables.
    { feed: nulEnded(bubblewrapArguments(plan, host)) },
    ...sandboxFiles(plan, host),
    ...(host.filter === null ? [] : [{ bytes: host.filter }]),
    ...(host.init === null ? [] : [{ feed: nulEnded(assignments(plan, host)) }]),
  ];
}

function nulEnded(texts: readonly string[]): string {
  return texts.map((text) => `${text}\0`).join("");
}

/** bubblewrap sets PWD for a command; our process 1 passes on only the variables it gets. */
function assignments(plan: SandboxPlan, host: SandboxHost): string[] {
  return Object.entries({ ...sandboxEnvironment(plan, host), PWD: plan.cwd }).map(([name, value]) => `${name}=${value}`);
}

/** The descriptor after the files. */
function filterDescriptor(plan: SandboxPlan, host: SandboxHost): number {
  return FIRST_FILE_FD + sandboxFiles(plan, host).length;
}

const NAMESPACES = ["--unshare-all", "--unshare-user", "--uid", SANDBOX_UID, "--gid", SANDBOX_UID];
const PROCESS = ["--die-with-parent", "--new-session", "--clearenv", "--cap-drop", "ALL", "--json-status-fd", String(STATUS_FD)];
/** The tmpfs with the mount points has no size limit, so it is read-only. */
const SEALED = ["--remount-ro", "/dev", "--remount-ro", "/"];

type Mount = { readonly at: string } & (
  { readonly options: readonly string[] } | { readonly bind: "--bind" | "--ro-bind" | "--ro-bind-try"; readonly from: string }
);

/** The options for bubblewrap, without the command. */
export function bubblewrapArguments(plan: SandboxPlan, host: SandboxHost): string[] {
  const place = placeOn(stagedSources(plan, host), plan.worktree);
  return [
    ...NAMESPACES,
    ...ifKnown(host, "--disable-userns"),
    ...(plan.network ? ["--share-net"] : ["--hostname", "slipway"]),
    ...PROCESS,
    ...(host.init === null ? [] : ["--as-pid-1"]),
    ...(host.filter === null ? [] : ["--seccomp", String(filterDescriptor(plan, host))]),
    ...mounts(plan, host).flatMap((mount) => ("options" in mount ? mount.options : [mount.bind, place(mount.from), mount.at])),
    ...SEALED,
    ...(host.init === null ? Object.entries(sandboxEnvironment(plan, host)).flatMap(([name, value]) => ["--setenv", name, value]) : []),
    "--chdir",
    plan.cwd,
  ];
}

export type LimitingHost = Pick<SandboxHost, "prlimit" | "maxOpenFiles" | "limitsTasks">;

/** A command prefix that sets the rlimits, which all descendants inherit. */
export function inheritedLimits(limits: Limits, { prlimit, maxOpenFiles }: LimitingHost): string[] {
  if (prlimit === null) return [];
  return [prlimit, "--core=0:0", `--fsize=${limits.fileBytes}`, `--nofile=${Math.min(limits.openFiles, maxOpenFiles)}`];
}

/** RLIMIT_NPROC. More than the watch allows, so that the watch sees the excess and names it. */
function taskLimit({ threads }: Limits): number {
  return threads + 1024;
}

/** The command with the task limit, which must not apply to the process that starts it. */
export function limitedCommand(command: readonly string[], limits: Limits, { prlimit, limitsTasks }: LimitingHost): string[] {
  return prlimit === null || !limitsTasks ? [...command] : [prlimit, `--nproc=${taskLimit(limits)}`, ...command];
}

/** The command below our process 1, which also sets its limit. Without one, bubblewrap's own process 1 is used. */
export function initialCommand(command: readonly string[], plan: SandboxPlan, host: SandboxHost): string[] {
  const { init, filter, limitsTasks } = host;
  if (init === null) return limitedCommand(command, plan.limits, host);
  const environment = filterDescriptor(plan, host) + (filter === null ? 0 : 1);
  return [...init, String(environment), String(limitsTasks ? taskLimit(plan.limits) : 0), ...command];
}

export function sandboxEnvironment(plan: SandboxPlan, host: SandboxHost): Record<string, string> {
  const { PATH, HOME, TMPDIR, ...rest } = plan.env;
  return {
    ...rest,
    PATH: searchPath(PATH, host).join(":"),
    HOME: HOME !== undefined && isWritableInside(HOME, plan) ? HOME : (plan.home ?? SANDBOX_HOME),
    ...(TMPDIR !== undefined && isWritableInside(TMPDIR, plan) ? { TMPDIR } : {}),
  };
}

/** Slipway's own Node comes last in a given PATH, as a fallback; without a given PATH it comes first. */
function searchPath(given: string | undefined, host: SandboxHost): string[] {
  const own = given === undefined ? [host.nodeFolder] : given.split(":");
  const folders = [...own, ...SYSTEM_PATH, host.nodeFolder];
  return [...new Set(folders)].filter((folder) => folder.startsWith("/"));
}

/** Folders that a command can see, to check in advance whether its program can be found. */
export function visibleRoots(plan: SandboxPlan, host: SandboxHost): string[] {
  return [
    ...host.roots,
    ...host.links.map((link) => link.path),
    ...host.etcFolders,
    ...plan.readOnly,
    ...plan.shared.map(({ to }) => to),
    plan.worktree,
    ...(plan.home === null ? [] : [plan.home]),
  ];
}

export function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root === "/" ? "/" : `${root}/`);
}

function isWritableInside(path: string, plan: SandboxPlan): boolean {
  return [plan.worktree, "/tmp", plan.home ?? SANDBOX_HOME].some((root) => isBelow(root, path));
}

/** Parents before children; at the same path the later mount is on top. */
function mounts(plan: SandboxPlan, host: SandboxHost): Mount[] {
  const list: Mount[] = [
    ...host.roots.map((path) => readOnly(path)),
    ...[...host.links, ...host.etcLinks].map(({ path, target }) => ({ at: path, options: ["--symlink", target, path] })),
    ...host.etcFolders.map((path) => readOnly(path, path, "--ro-bind-try")),
    ...sandboxFiles(plan, host).map(({ at }, index) => ({ at, options: ["--file", String(FIRST_FILE_FD + index), at] })),
    { at: "/proc", options: ["--proc", "/proc"] },
    ...host.procPaths.map((path) => readOnly(path)),
    { at: "/dev", options: ["--dev", "/dev"] },
    memory(host, "/dev/shm", plan.limits.tmpBytes, "1777"),
    memory(host, "/tmp", plan.limits.tmpBytes, "1777"),
    memory(host, "/run", 16 * 1024 ** 2, "0755"),
    memory(host, SANDBOX_HOME, plan.limits.tmpBytes, "0700"),
    // A separate tmpfs, not a link to /tmp: a repository or Node itself may be below it.
    memory(host, "/var/tmp", plan.limits.tmpBytes, "1777"),
    ...plan.readOnly.map((path) => readOnly(path)),
    writable(plan.worktree),
    ...(plan.home === null ? [] : [writable(plan.home)]),
    ...(plan.gateway === null ? [] : [readOnly(plan.gateway, GATEWAY_AT)]),
    ...plan.folders.map((folder) => (folder.writable ? writable(folder.path) : readOnly(folder.path))),
    ...plan.shared.map(({ from, to }) => readOnly(from, to)),
    ...plan.outputs.map(({ from, to }) => writable(from, to)),
    ...(plan.git === "none" ? [] : [hiddenGit(plan, host)]),
  ];
  return list.toSorted((left, right) => depth(left.at) - depth(right.at));
}

/** A file cannot be mounted over a folder, so a .git folder is hidden by an empty read-only one. */
function hiddenGit({ worktree, git }: SandboxPlan, host: SandboxHost): Mount {
  const at = `${worktree}/.git`;
  if (git === "file") return readOnly("/dev/null", at);
  return { at, options: [...memory(host, at, 4096, "0755").options, "--remount-ro", at] };
}

function writable(from: string, at = from): Mount {
  return { at, bind: "--bind", from };
}

function readOnly(from: string, at = from, bind: "--ro-bind" | "--ro-bind-try" = "--ro-bind"): Mount {
  return { at, bind, from };
}

function memory(host: SandboxHost, at: string, bytes: number, permissions: string): { readonly at: string; readonly options: string[] } {
  return { at, options: [...ifKnown(host, "--perms", permissions), ...ifKnown(host, "--size", String(bytes)), "--tmpfs", at] };
}

function ifKnown({ options }: SandboxHost, ...option: readonly [string, ...string[]]): readonly string[] {
  return options.has(option[0]) ? option : [];
}

function depth(path: string): number {
  return path.split("/").length;
}
