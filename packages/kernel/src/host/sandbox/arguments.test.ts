import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  bubblewrapArguments,
  isBelow,
  inheritedLimits,
  initialCommand,
  limitedCommand,
  sandboxDescriptors,
  sandboxEnvironment,
  sandboxFiles,
  visibleRoots,
  SANDBOX_HOME,
  type SandboxPlan,
} from "./arguments.ts";
import { DEFAULT_LIMITS } from "./contract.ts";
import type { SandboxHost } from "./host.ts";

const host: SandboxHost = {
  bwrap: "/usr/bin/bwrap",
  roots: ["/usr", "/opt/node/bin"],
  links: [{ path: "/bin", target: "usr/bin" }],
  etcFolders: ["/etc/ssl/certs"],
  etcFiles: ["/etc/services"],
  etcLinks: [{ path: "/etc/localtime", target: "/usr/share/zoneinfo/UTC" }],
  networkFiles: ["/etc/hosts", "/etc/resolv.conf"],
  nodeFolder: "/opt/node/bin",
  prlimit: "/usr/bin/prlimit",
  perl: "/usr/bin/perl",
  maxOpenFiles: 1_000,
  limitsTasks: false,
  options: new Set(["--disable-userns", "--perms", "--size"]),
  filter: Buffer.from("the filter"),
  init: ["/usr/bin/perl", "-f", "-e", "the init"],
  procPaths: ["/proc/sys"],
  user: null,
  groupPlaces: [],
  veils: false,
};

const plan: SandboxPlan = {
  worktree: "/repo/.worktrees/f",
  cwd: "/repo/.worktrees/f/sub",
  command: ["true"],
  env: {},
  network: false,
  readOnly: [],
  shared: [],
  outputs: [],
  layer: null,
  git: "file",
  folders: [],
  home: null,
  gateway: null,
  veil: null,
  limits: DEFAULT_LIMITS,
};

/** Every option of one kind with its arguments. */
function options(args: readonly string[], name: string, count: number): string[][] {
  return args.flatMap((arg, index) => (arg === name ? [args.slice(index + 1, index + 1 + count)] : []));
}

/** The mount points, in order. */
function mountPoints(args: readonly string[]): string[] {
  const lengths: Record<string, number> = {
    "--ro-bind": 2,
    "--ro-bind-try": 2,
    "--bind": 2,
    "--symlink": 2,
    "--tmpfs": 1,
    "--proc": 1,
    "--dev": 1,
    "--file": 2,
  };
  return args.flatMap((arg, index) => (lengths[arg] === undefined ? [] : [String(args[index + lengths[arg]])]));
}

describe("bubblewrapArguments", () => {
  it("isolates namespaces, environment, terminal, capabilities and parent", () => {
    const args = bubblewrapArguments(plan, host);
    for (const option of ["--unshare-all", "--unshare-user", "--die-with-parent", "--new-session", "--clearenv", "--disable-userns"]) {
      expect(args).toContain(option);
    }
    expect(options(args, "--cap-drop", 1)).toEqual([["ALL"]]);
    expect(options(args, "--uid", 1)).toEqual([["1000"]]);
    expect(options(args, "--gid", 1)).toEqual([["1000"]]);
    expect(options(args, "--chdir", 1)).toEqual([[plan.cwd]]);
    expect(args).not.toContain("--share-net");
  });

  it("shows the network and its settings only to a command that declares it", () => {
    const closed = bubblewrapArguments(plan, host);
    const open = bubblewrapArguments({ ...plan, network: true }, host);
    expect(open).toContain("--share-net");
    expect(mountPoints(open)).toContain("/etc/resolv.conf");
    expect(mountPoints(closed)).not.toContain("/etc/resolv.conf");
    // The host's own file instead of the one that names only localhost.
    expect(sandboxFiles({ network: true, gateway: null }, host)).toContainEqual({ at: "/etc/hosts", from: "/etc/hosts" });
    expect(sandboxFiles({ network: false, gateway: null }, host)).toContainEqual({
      at: "/etc/hosts",
      text: expect.stringContaining("localhost"),
    });
  });

  it("copies each file of /etc from its own descriptor", () => {
    for (const network of [true, false]) {
      const files = sandboxFiles({ network, gateway: null }, host);
      const copied = options(bubblewrapArguments({ ...plan, network }, host), "--file", 2);
      expect(copied.toSorted()).toEqual(files.map(({ at }, index) => [String(5 + index), at]).toSorted());
    }
  });

  it("omits options that older versions lack", () => {
    const args = bubblewrapArguments({ ...plan, git: "directory" }, { ...host, options: new Set() });
    for (const option of ["--disable-userns", "--perms", "--size"]) expect(args).not.toContain(option);
    expect(mountPoints(args)).toContain("/tmp");
  });

  it("makes the worktree the only writable part of the host, whatever the request", () => {
    const segment = fc.constantFrom("a", "b", "c", "work", "tmp", "home", "usr");
    const path = fc.array(segment, { minLength: 2, maxLength: 5 }).map((parts) => `/${parts.join("/")}`);
    fc.assert(
      fc.property(
        path,
        fc.array(path, { maxLength: 4 }),
        fc.array(fc.tuple(path, segment), { maxLength: 3 }),
        fc.boolean(),
        (worktree, readOnly, shared, network) => {
          const asked = { ...plan, worktree, readOnly, network, shared: shared.map(([from, to]) => ({ from, to: `${worktree}/${to}` })) };
          const args = bubblewrapArguments(asked, host);
          expect(options(args, "--bind", 2)).toEqual([[worktree, worktree]]);
          expect(args).not.toContain("--dev-bind");
          const points = mountPoints(args);
          for (const [index, point] of points.entries()) {
            for (const later of points.slice(index + 1))
              expect(later !== point && isBelow(later, point), `${later} would hide ${point}`).toBe(false);
          }
          expect(points.indexOf(`${worktree}/.git`)).toBeGreaterThan(points.lastIndexOf(worktree));
          expect(args.indexOf("--remount-ro")).toBeGreaterThan(-1);
        },
      ),
    );
  });

  it("gives every tmpfs a size, and makes those without one read-only", () => {
    const args = bubblewrapArguments({ ...plan, git: "directory" }, host);
    for (const [index, arg] of args.entries()) if (arg === "--tmpfs") expect(args[index - 2]).toBe("--size");
    expect(options(args, "--remount-ro", 1).flat()).toEqual([`${plan.worktree}/.git`, "/dev", "/"]);
  });

  it("hides a .git file with an empty file, and a .git folder with an empty folder", () => {
    expect(options(bubblewrapArguments(plan, host), "--ro-bind", 2)).toContainEqual(["/dev/null", `${plan.worktree}/.git`]);
    expect(options(bubblewrapArguments({ ...plan, git: "directory" }, host), "--tmpfs", 1)).toContainEqual([`${plan.worktree}/.git`]);
  });
});

describe("process 1", () => {
  const values = { ...plan, env: { TOKEN: "a secret" } };

  it("is ours, with the filter and the environment on descriptors", () => {
    const args = bubblewrapArguments(values, host);
    const behind = sandboxDescriptors(values, host);
    const [[filter] = []] = options(args, "--seccomp", 1);
    expect(args).toContain("--as-pid-1");
    expect(behind[Number(filter) - 4]).toEqual({ bytes: host.filter });
    const [, , , , environment, tasks, ...command] = initialCommand(["a", "b"], values, host);
    expect(behind[Number(environment) - 4]).toMatchObject({ feed: expect.stringContaining("TOKEN=a secret\0") });
    expect([tasks, ...command]).toEqual(["0", "a", "b"]);
    // No variable reaches process 1 itself, where LD_PRELOAD would load code.
    expect(args.join(" ")).not.toContain("a secret");
    expect(initialCommand(["a"], values, { ...host, limitsTasks: true })).toContain(String(DEFAULT_LIMITS.threads + 1024));
  });

  it("is bubblewrap's without Perl or on an unknown architecture", () => {
    const poor = { ...host, init: null, filter: null, limitsTasks: true };
    const args = bubblewrapArguments(values, poor);
    expect(args).not.toContain("--as-pid-1");
    expect(args).not.toContain("--seccomp");
    expect(options(args, "--setenv", 2)).toContainEqual(["TOKEN", "a secret"]);
    expect(initialCommand(["a"], values, poor)).toEqual(limitedCommand(["a"], DEFAULT_LIMITS, poor));
    expect(sandboxDescriptors(values, poor)).toHaveLength(sandboxDescriptors(values, host).length - 2);
  });
});

describe("sandboxEnvironment", () => {
  it("B1: puts Slipway's Node last and keeps only absolute folders", () => {
    expect(sandboxEnvironment({ ...plan, env: { PATH: "/x/bin:.:/usr/bin" } }, host).PATH).toBe(
      "/x/bin:/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin:/opt/node/bin",
    );
  });

  it.each([
    [undefined, SANDBOX_HOME],
    ["/root", SANDBOX_HOME],
    ["/tmp/home", "/tmp/home"],
    [`${plan.worktree}/.home`, `${plan.worktree}/.home`],
    [`${plan.worktree}-other`, SANDBOX_HOME],
  ])("HOME %s becomes %s", (given, expected) => {
    expect(sandboxEnvironment({ ...plan, env: given === undefined ? {} : { HOME: given } }, host).HOME).toBe(expected);
  });

  it("drops a TMPDIR that does not exist inside", () => {
    expect(sandboxEnvironment({ ...plan, env: { TMPDIR: "/var/folders/x" } }, host)).not.toHaveProperty("TMPDIR");
    expect(sandboxEnvironment({ ...plan, env: { TMPDIR: "/tmp/x", A: "b" } }, host)).toMatchObject({ TMPDIR: "/tmp/x", A: "b" });
  });
});

describe("limits", () => {
  it("are rlimits, never above the hard limit", () => {
    const fsize = `--fsize=${DEFAULT_LIMITS.fileBytes}`;
    expect(inheritedLimits(DEFAULT_LIMITS, host)).toEqual(["/usr/bin/prlimit", "--core=0:0", fsize, "--nofile=1000"]);
    expect(limitedCommand(["a", "b"], DEFAULT_LIMITS, host)).toEqual(["a", "b"]);
    // More than the watch allows, which then names the limit.
    const tasks = `--nproc=${DEFAULT_LIMITS.threads + 1024}`;
    expect(limitedCommand(["a"], DEFAULT_LIMITS, { ...host, limitsTasks: true })).toEqual(["/usr/bin/prlimit", tasks, "a"]);
  });

  it("are not set without prlimit", () => {
    expect(inheritedLimits(DEFAULT_LIMITS, { ...host, prlimit: null })).toEqual([]);
    expect(limitedCommand(["a"], DEFAULT_LIMITS, { ...host, limitsTasks: true, prlimit: null })).toEqual(["a"]);
  });
});

it("visibleRoots contains every folder that a program can be in", () => {
  const shared = [{ from: "/repo/node_modules", to: `${plan.worktree}/node_modules` }];
  const roots = visibleRoots({ ...plan, readOnly: ["/opt/tools"], shared }, host);
  for (const root of ["/usr", "/bin", "/opt/tools", plan.worktree, `${plan.worktree}/node_modules`]) expect(roots).toContain(root);
});

it("isBelow compares whole path components", () => {
  expect([isBelow("/a", "/a"), isBelow("/a", "/a/b"), isBelow("/a", "/ab"), isBelow("/", "/x")]).toEqual([true, true, false, true]);
});
