import { constants, accessSync, existsSync, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from "node:fs";
import { release } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { machineOf } from "../launcher/syscalls.ts";
import { DEFAULT_LIMITS } from "./contract.ts";
import { findGroupPlaces, type GroupPlace } from "./control-group-place.ts";
import { initScript } from "./init-script.ts";
import { seccompProgram } from "./seccomp.ts";
import { subordinateUser, type SubordinateUser } from "./subordinate.ts";

/** What this machine offers a sandbox. Probed once per process. */
export interface SandboxHost {
  readonly bwrap: string;
  /** Host folders, mounted read-only at the same path. */
  readonly roots: readonly string[];
  /** Top-level links of the host, such as /bin -> usr/bin. */
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Allowlisted paths below /etc that exist here. Each mount costs time, so only folders are mounted. */
  readonly etcFolders: readonly string[];
  /** Copied into the sandbox. */
  readonly etcFiles: readonly string[];
  /** Created as links, because they point to something visible. */
  readonly etcLinks: readonly { readonly path: string; readonly target: string }[];
  /** Copied only for commands with network. */
  readonly networkFiles: readonly string[];
  readonly nodeFolder: string;
  readonly prlimit: string | null;
  /** Starts much faster than Node. */
  readonly perl: string | null;
  readonly maxOpenFiles: number;
  /** RLIMIT_NPROC applies to this sandbox alone: not root on the host, Linux 5.14 or newer. */
  readonly limitsTasks: boolean;
  /** The options of the installed bubblewrap; older versions lack some. */
  readonly options: ReadonlySet<string>;
  /** The seccomp program; null on an unknown architecture. */
  readonly filter: Buffer | null;
  /** The command of our process 1; null if bubblewrap's own is used. */
  readonly init: readonly string[] | null;
  /** The user under which root runs commands; null if Slipway is not root. */
  readonly user: SubordinateUser | null;
  /** Paths of /proc through which root could change the kernel. */
  readonly procPaths: readonly string[];
  /** Where a command gets control groups with its limits; none where the machine does not allow it, or without the launcher. */
  readonly groupPlaces: readonly GroupPlace[];
  /** Folders of the host can be shown through an overlay, in which their sockets lead nowhere. */
  readonly veils: boolean;
}

/**
 * An allowlist, because Slipway as root would otherwise show /etc/shadow, private keys and tokens in /etc.
 * The sandbox writes users, groups and host names itself. `readOnly` adds further paths.
 */
const ETC = [
  "alternatives",
  "crypto-policies",
  "fonts",
  "ld.so.cache",
  "localtime",
  "mime.types",
  "nsswitch.conf",
  "os-release",
  "pki/ca-trust",
  "pki/tls/certs",
  "protocols",
  "services",
  "ssl/cert.pem",
  "ssl/certs",
  "ssl/openssl.cnf",
  "timezone",
];
/** Settings that programs below /usr read through links. */
const ETC_PATTERNS = [/^java(-.+)?$/, /^maven$/];
const ETC_NETWORK = ["hosts", "resolv.conf", "host.conf", "gai.conf"];
/** Writable entries of /proc other than processes. */
const PROC = ["sys", "sysrq-trigger", "irq", "bus", "mtrr", "scsi", "acpi", "fs"];
const ROOTS = ["/usr", "/nix/store", "/gnu/store"];
const TOP_LEVEL = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/** Readable by every user. */
export const SYSTEM_ROOTS: readonly string[] = [...ROOTS, ...TOP_LEVEL];

export function describeHost(bwrap: string, help: string, arch: string = process.arch): SandboxHost {
  const machine = machineOf(arch);
  const perl = findOnPath("perl", "/usr/bin");
  const user = subordinateUser();
  const options = new Set(help.match(/--[a-z0-9-]+/g));
  const links = TOP_LEVEL.filter(isLink).map((path) => ({ path, target: readlinkSync(path) }));
  const roots = SYSTEM_ROOTS.filter(isFolder);
  const nodeFolder = dirname(realpathSync(process.execPath));
  const names = [...ETC, ...readdirSync("/etc").filter((name) => ETC_PATTERNS.some((pattern) => pattern.test(name)))];
  const etc = names.map((name) => join("/etc", name)).filter(existsSync);
  const etcLinks = etc.filter((path) => isLink(path) && realpathSync(path).startsWith("/usr/"));
  return {
    bwrap,
    roots: [...roots, ...nodeRoots(nodeFolder).filter((folder) => !roots.some((root) => folder.startsWith(`${root}/`)))],
    links,
    etcFolders: etc.filter((path) => !etcLinks.includes(path) && isFolder(realpathSync(path))),
    etcFiles: etc.filter((path) => !etcLinks.includes(path) && !isFolder(realpathSync(path))),
    etcLinks: etcLinks.map((path) => ({ path, target: readlinkSync(path) })),
    networkFiles: ETC_NETWORK.map((name) => join("/etc", name)).filter(existsSync),
    nodeFolder,
    prlimit: findOnPath("prlimit", "/usr/bin:/bin"),
    perl,
    maxOpenFiles: hardOpenFiles(),
    limitsTasks: (process.getuid?.() !== 0 || user !== null) && isAtLeast(release(), [5, 14]),
    options,
    user,
    filter: machine === null || !options.has("--seccomp") ? null : seccompProgram(machine),
    init: machine === null || perl === null || !options.has("--as-pid-1") ? null : [perl, "-f", "-e", initScript(machine)],
    groupPlaces: perl === null ? [] : findGroupPlaces(),
    procPaths: PROC.map((name) => join("/proc", name)).filter(existsSync),
    // The self-test finds out.
    veils: false,
  };
}

export function findOnPath(name: string, path: string): string | null {
  const candidates = path.split(delimiter).map((folder) => join(folder, name));
  return candidates.find((candidate) => candidate.startsWith("/") && isExecutable(candidate)) ?? null;
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return !lstatSync(realpathSync(path)).isDirectory();
  } catch {
    return false;
  }
}

export function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [foundMajor = 0, foundMinor = 0] = version.split(/[.-]/).map(Number);
  return foundMajor > major || (foundMajor === major && foundMinor >= minor);
}

/** For a Node that was unpacked in a home folder, npm is in ../lib/node_modules. */
function nodeRoots(nodeFolder: string): string[] {
  return [nodeFolder, join(dirname(nodeFolder), "lib", "node_modules")].filter(isFolder);
}

/** The hard limit, which only root can raise. */
export function hardOpenFiles(): number {
  const hard = /^Max open files\s+\S+\s+(\d+)/m.exec(readProc("limits"))?.[1];
  return hard === undefined ? DEFAULT_LIMITS.openFiles : Number(hard);
}

function readProc(name: string): string {
  try {
    return readFileSync(`/proc/self/${name}`, "utf8");
  } catch {
    return "";
  }
}

function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
