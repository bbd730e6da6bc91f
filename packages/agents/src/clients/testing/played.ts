import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FileTree } from "@slipway/kernel/host/file-views/file-tree";
import type { Opened } from "../../testing/provider-suite.ts";
import { GREETING, type Behaviour } from "../../testing/provider-suite-cases.ts";
import { plainProcess } from "../../testing/plain-process.ts";
import { scratch } from "../../testing/samples.ts";
import { CLIENTS } from "../catalog.ts";
import type { ClientName } from "../client.ts";
import { clientProvider, type ClientOptions } from "../provider.ts";
import type { Order } from "./player.ts";

/** Compiled in advance: stripping types would take longer than the playback. */
const PLAYER = join(scratch("player"), "player.mjs");
writeFileSync(PLAYER, stripTypeScriptTypes(readFileSync(join(import.meta.dirname, "player.ts"), "utf8")));
export const FIXTURES = join(import.meta.dirname, "..", "..", "testing", "fixtures");
export const KEY = "sk-scripted-0123456789abcdef";

const SLUGS: Partial<Record<Behaviour["does"], string>> = {
  refuse: "refusal",
  read: "tool-use",
  write: "file-edits-returned-as-a-patch",
  "rate limit": "rate-limit",
  "out of quota": "quota",
};

const HOW: Partial<Record<Behaviour["does"], Order["how"]>> = {
  hang: "hang",
  "hang with a child": "hang with a child",
  crash: "crash",
  "break off": "break off",
  "answer and be killed": "be killed",
  "exit 0 silently": "silent",
  flood: "flood",
};

/** The client's provider with a program that replays a recorded stream. */
export function openPlayed(name: ClientName, behaviour: Behaviour): Opened {
  const repaired = behaviour.does === "answer" && behaviour.answers.length > 1;
  const slug = repaired ? "repair-after-invalid-output" : (SLUGS[behaviour.does] ?? "schema-valid-answer");
  const write = behaviour.does === "write" ? { path: behaviour.path, content: behaviour.content } : null;
  // A self-hosted model may need no key.
  const options = behaviour.does === "no credentials" ? { env: { HOME: "/nowhere" }, baseUrl: null } : {};
  return playing(name, { slug, how: HOW[behaviour.does] ?? "as recorded", write }, options);
}

export function playing(name: ClientName, order: Pick<Order, "slug" | "how" | "write">, options: Partial<ClientOptions> = {}): Opened {
  const root = realpathSync(scratch("played"));
  const [before, folder, marks] = ["before", "pack", "marks"].map((part) => join(root, part)) as [string, string, string];
  for (const path of [folder, marks]) mkdirSync(path);
  writeFileSync(join(folder, GREETING.path), GREETING.text);
  cpSync(folder, before, { recursive: true });
  const fixtures = join(FIXTURES, name);
  const noted = (what: string) => (existsSync(join(marks, what)) ? readFileSync(join(marks, what), "utf8").trimEnd().split("\n") : []);
  const client = CLIENTS[name];
  return {
    provider: clientProvider(client, {
      command: [process.execPath, PLAYER, JSON.stringify({ ...order, fixtures, marks })],
      programs: [],
      env: { PATH: process.env["PATH"], [client.keys[0]!.variable]: KEY },
      configEnv: null,
      baseUrl: "http://127.0.0.1:8080",
      timeoutMs: null,
      now: Date.now,
      maxOutputBytes: 4_000_000,
      ...options,
    }),
    model: name === "opencode" ? "scripted/scripted" : "scripted",
    workplace: { folder, tree: {} as FileTree, run: plainProcess(folder) },
    patch: () => diff(root),
    toolResults: () =>
      (JSON.parse(readFileSync(join(fixtures, `${order.slug}.end.json`), "utf8")) as { toolResults: string[] }).toolResults,
    async reached() {
      while (noted("reached").length === 0) await sleep(10);
    },
    survivors: async () => noted("pids").map(Number).filter(isAlive),
    close: async () => rmSync(root, { recursive: true, force: true }),
  };
}

function diff(cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile("git", ["diff", "--no-index", "--no-color", "before", "pack"], { cwd }, (_, stdout) => resolve(stdout));
  });
}

function isAlive(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  const state = existsSync(stat) ? readFileSync(stat, "utf8").split(") ")[1]?.[0] : undefined;
  return state !== undefined && state !== "Z";
}
