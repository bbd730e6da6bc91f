import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_LIMITS, type Sandbox } from "./contract.ts";
import { openControlGroup } from "./control-group.ts";
import { candidatePlaces, findGroupPlaces, GROUP_PREFIX, removeGroup } from "./control-group-place.ts";
import { openSandbox } from "./sandbox.ts";
import { runNode, runShell, sandboxWorksHere, scratchFolder } from "./testing/scratch.ts";

const MiB = 1024 ** 2;

describe("where groups may be made", () => {
  const v1 = [
    "25 20 0:22 / /sys/fs/cgroup rw - tmpfs tmpfs rw",
    "31 25 0:27 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids",
    "32 25 0:28 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory",
    "33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
  ].join("\n");
  const v2 = "30 20 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate";

  it.each([
    [
      "below the own group of each controller of version 1",
      { mounts: v1, groups: "8:pids:/\n4:memory:/jobs/a1\n0::/" },
      ["/sys/fs/cgroup/memory/jobs/a1", "/sys/fs/cgroup/pids"],
    ],
    [
      "in a container of version 1, whose mount begins at its group",
      {
        mounts: "32 25 0:28 /docker/c1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory",
        groups: "4:memory:/docker/c1/app",
      },
      ["/sys/fs/cgroup/memory/app"],
    ],
    [
      "in a group above the own one in version 2, the nearest first",
      { mounts: v2, groups: "0::/user.slice/user@7.service/app.slice/term.scope" },
      [
        "/sys/fs/cgroup/user.slice/user@7.service/app.slice",
        "/sys/fs/cgroup/user.slice/user@7.service",
        "/sys/fs/cgroup/user.slice",
        "/sys/fs/cgroup",
      ],
    ],
    ["at the root of version 2, for a process that is there", { mounts: v2, groups: "0::/" }, ["/sys/fs/cgroup"]],
    ["nowhere without cgroups", { mounts: "", groups: "" }, []],
  ])("%s", (_, own, folders) => {
    expect(
      candidatePlaces(own)
        .flat()
        .map(({ folder }) => folder),
    ).toEqual(folders);
  });

  it("nowhere that this process may not write", () => {
    expect(findGroupPlaces({ mounts: v1, groups: "4:memory:/no/such/group" })).toEqual([]);
  });
});

const places = findGroupPlaces();
if (places.length === 0) console.warn("Tests of control groups are skipped: this process may make none.");

describe.skipIf(places.length === 0 || !sandboxWorksHere())("a command in a control group", () => {
  let sandbox: Sandbox;
  const groups = () =>
    places.flatMap(({ folder }) => readdirSync(folder).filter((name) => name.startsWith(`${GROUP_PREFIX}${process.pid}-`)));
  beforeAll(async () => {
    sandbox = await openSandbox();
  });

  it("is a member of each of its groups, with every process that it starts", async () => {
    const members: number[] = [];
    const stop = new AbortController();
    const onOutput = () => {
      for (const { folder } of places)
        for (const name of groups())
          if (existsSync(join(folder, name)))
            members.push(
              readFileSync(join(folder, name, "cgroup.procs"), "utf8")
                .trim()
                .split("\n")
                .filter(Boolean).length,
            );
      stop.abort();
    };
    await runShell(sandbox, scratchFolder(), "sleep 19 & echo ready; wait", { onOutput, signal: stop.signal });
    expect(members.length).toBeGreaterThanOrEqual(places.length);
    expect(Math.min(...members)).toBeGreaterThanOrEqual(3);
  });

  it("is over its limit if the kernel ended a process of it for memory, even if it goes on and succeeds", async () => {
    const script = `require("child_process").spawnSync("node", ["-e", "Buffer.alloc(400e6, 1)"])`;
    const ran = await runNode(sandbox, scratchFolder(), script, { limits: { memoryBytes: 250 * MiB } });
    expect(ran).toMatchObject({ exitCode: null, limit: "memory" });
  });

  it("leaves no group", async () => {
    await runNode(sandbox, scratchFolder(), "0");
    expect(groups()).toEqual([]);
  });

  it("leaves no group for long if Slipway is killed", async () => {
    const dead = spawn("true");
    await once(dead, "exit");
    const left = join(places[0]?.folder ?? "", `${GROUP_PREFIX}${dead.pid}-abandoned`);
    mkdirSync(left);
    findGroupPlaces();
    expect(existsSync(left)).toBe(false);
  });

  it("gets no group at all if one kind of group cannot be made", () => {
    const missing = { version: 1, folder: join(scratchFolder(), "gone"), controllers: ["memory"] } as const;
    expect(openControlGroup([...places, missing], DEFAULT_LIMITS)).toBeNull();
    expect(groups()).toEqual([]);
  });

  it("counts nothing before a limit was met, and its group is removed when it is closed", async () => {
    const group = openControlGroup(places, DEFAULT_LIMITS);
    expect(group?.exceeded()).toBeNull();
    await group?.close();
    const folder = dirname(group?.joins[0] ?? "");
    expect([basename(folder).startsWith(GROUP_PREFIX), existsSync(folder), removeGroup(folder)]).toEqual([true, false, true]);
  });
});
