import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { processesWith } from "../bad-input/place.ts";
import { attackers } from "./ordinary-user.ts";
import { adding } from "./patches.ts";
import { openSite, type Site } from "./site.ts";
import { OPEN_POLICY } from "./yard.ts";

const step = (seconds: number) => `[{ name: attack, cmd: [sh, attack.sh], timeout_seconds: ${seconds} }]`;
const modes = (seconds: number) => `{ modes: { fast: ${step(seconds)}, full: ${step(seconds)} } }`;
const GATES = `version: 1\nprofiles: { default: ${modes(90)}, short: ${modes(1)} }\n`;

/** In the command lines of processes that must not outlive their gate; digits, so that `sleep` accepts it. */
const TAG = `4712${process.pid}`;
const HOLDS = `sleep 80.${TAG}`;

/** Slightly more than 4,096: where the kernel only knows a higher limit, it refuses none of them, and no process ends by itself. */
const THREADS = `for process in 1 2 3 4; do UV_THREADPOOL_SIZE=1024 node -e 'fs.stat(".", () => setTimeout(() => {}, 80000))' ${TAG} & done; wait`;

/** Memory that no process has mapped: by number, as /usr/bin/perl has no names for these calls. */
const DESCRIPTORS = `perl -e 'my $name = "x"; my ($memfd, $secret, $segment) = map { $_ + 0 } @ARGV;
exit(7) if syscall($memfd, $name, 0) >= 0 || syscall($secret, 0) >= 0 || syscall($segment, 0, 1 << 30, 01600) >= 0;' ${process.arch === "arm64" ? "279 447 194" : "319 447 29"}`;

const MEMORY_FOLDERS = `for folder in /tmp /var/tmp /dev/shm "$HOME"; do if fallocate --length 1100M "$folder/held"; then exit 7; fi; done`;

describe.each(attackers())("as %s: attack 31, B15: the limits of a gate", (_name, user) => {
  let site: Site;
  beforeAll(async () => {
    site = await openSite({ files: { "slipway/gates.yaml": GATES, "slipway/policy.yaml": OPEN_POLICY }, user });
  });
  afterAll(() => site.close());

  async function gate(script: string, profile: string): Promise<string> {
    const feature_id = await site.feature();
    await site.builder.ok("repo.apply_patch", { feature_id, unified_diff: adding("attack.sh", `${script}\n`) });
    const envelope = await site.builder.call("gates.run", { feature_id, mode: "fast", profile });
    return envelope.ok ? "passed" : JSON.stringify(envelope.error);
  }

  test.each([
    ["threads of all processes together", THREADS, "default", /"sandbox_limit_exceeded".*"limit":"threads"/],
    ["time", HOLDS, "short", /"gate_timeout"/],
    ["memory behind descriptors, which is refused", DESCRIPTORS, "default", /^passed$/],
    ["the size of each folder in memory, which is refused", MEMORY_FOLDERS, "default", /^passed$/],
  ])("%s", { timeout: 120_000 }, async (_what, script, profile, expected) => {
    expect(await gate(script, profile)).toMatch(expected);
    expect(processesWith(TAG)).toEqual([]);
  });
});
