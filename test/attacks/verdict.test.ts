import { readFileSync, statSync } from "node:fs";
import { SYSCALLS, machineOf } from "@slipway/kernel/host/launcher/syscalls";
import { FORGE_EXIT_CODE } from "@slipway/kernel/host/sandbox/testing/forge";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attackers } from "./ordinary-user.ts";
import { adding } from "./patches.ts";
import { openSite, type Site } from "./site.ts";
import { OPEN_POLICY } from "./yard.ts";

/** A gate that runs code of the feature, and then finds the bug in it. */
const GATES = `version: 1
profiles:
  default:
    modes:
      fast: [{ name: verdict, cmd: [perl, attack.pl, "1"], timeout_seconds: 60 }]
      full: [{ name: verdict, cmd: [perl, attack.pl, "1"], timeout_seconds: 60 }]
`;

const machine = machineOf(process.arch) ?? "x64";
interface Verdict {
  readonly feature: string;
  readonly ok: boolean;
  readonly log: string;
}

async function gateIn(site: Site, attack: string): Promise<Verdict> {
  const feature_id = await site.feature();
  await site.builder.ok("repo.apply_patch", { feature_id, unified_diff: adding("attack.pl", attack) });
  const envelope = await site.builder.call("gates.run", { feature_id, profile: "default", mode: "fast" });
  const [, path = ""] = /"log_path":"([^"]+)"/.exec(JSON.stringify(await site.builder.ok("evidence.latest", { feature_id }))) ?? [];
  return { feature: feature_id, ok: envelope.ok, log: path === "" ? "" : site.yard.read(path) };
}

describe.each(attackers())("a verdict, for %s", (_name, user) => {
  let site: Site;
  const gate = (attack: string) => gateIn(site, attack);

  beforeAll(async () => {
    site = await openSite({ files: { "slipway/gates.yaml": GATES, "slipway/policy.yaml": OPEN_POLICY }, user });
    expect(statSync(`/proc/${site.builder.pid}`).uid).toBe(user ?? process.getuid?.());
  });
  afterAll(() => site.close());

  test("B2: a command that exits with 1 and takes process 1's descriptors is recorded as failed", async () => {
    const { feature, ok } = await gate(FORGE_EXIT_CODE);
    expect(ok).toBe(false);
    const evidence = JSON.stringify(await site.builder.ok("evidence.latest", { feature_id: feature }));
    expect(evidence).toContain('"status":"fail"');
    expect(evidence).toContain('"exit_code":1');
    expect(evidence).not.toContain('"status":"pass"');
  });

  test("B1: no kernel setting can be written", async () => {
    const before = readFileSync("/proc/sys/kernel/core_pattern", "utf8");
    const { ok, log } = await gate(
      `my @w = grep { open(my $f, "+<", $_) } glob("/proc/sys/kernel/* /proc/sys/vm/* /proc/sysrq-trigger"); print "written: @w.\\n"; exit(0);\n`,
    );
    expect(ok).toBe(true);
    expect(log).toContain("written: .");
    expect(readFileSync("/proc/sys/kernel/core_pattern", "utf8")).toBe(before);
  });

  test("B11: no set-user-id file remains in the worktree, or exists there during the gate", async () => {
    const { feature, ok, log } = await gate(
      `system("cp /bin/sh ./shell"); for my $m (04755, 02755, 06755) { print chmod($m, "shell") ? "done" : "refused: $!", "\\n" }\n` +
        `umask(0); print sysopen(my $f, "made", 0101, 04755) ? "made" : "refused: $!", "\\n"; system("stat -c %a shell"); exit(0);\n`,
    );
    expect(ok).toBe(true);
    expect(log.match(/refused: Operation not permitted/g)).toHaveLength(4);
    expect(log).toContain("755\n");
    expect(statSync(site.yard.worktree(feature)).mode & 0o6000).toBe(0);
  });

  test("B34: no socket leads to the hypervisor", async () => {
    const { log } = await gate(`print socket(my $s, 40, 1, 0) ? "open" : "refused: $!", "\\n"; exit(0);\n`);
    expect(log).toMatch(/refused: Address family not supported/);
  });

  test("B4: no call reaches a keyring", async () => {
    const { log } = await gate(
      `my @key = ("user", "slipway", "x"); for ([${SYSCALLS.keyctl[machine]}, 0, -3, 1], [${SYSCALLS.add_key[machine]}, @key, 1, -3]) {\n` +
        `  print syscall($$_[0], @$_[1 .. $#$_]) < 0 ? "refused: $!" : "reached", "\\n";\n}\nexit(0);\n`,
    );
    expect(log.match(/refused: Operation not permitted/g)).toHaveLength(2);
  });
});
