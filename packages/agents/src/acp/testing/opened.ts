import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { agentEnvironment } from "../../custom.ts";
import { scratch } from "../../testing/samples.ts";
import type { AcpAgent } from "../agents.ts";
import type { Script } from "./scripted-agent.ts";

/** The library is large: with a compile cache each further agent starts in half the time. */
const COMPILED = scratch("compiled");
const SCRIPTED = join(import.meta.dirname, "scripted-agent.ts");

export interface ScriptedAgent {
  readonly agent: AcpAgent;
  readonly marks: string;
  /** Lines that the agent noted under a name. */
  readonly noted: (name: string) => string[];
  readonly reached: () => Promise<void>;
  readonly survivors: () => Promise<number[]>;
}

export function scriptedAgent(script: Omit<Script, "marks">, changes: Partial<AcpAgent> = {}): ScriptedAgent {
  const marks = scratch("marks");
  const noted = (name: string) => (existsSync(join(marks, name)) ? readFileSync(join(marks, name), "utf8").trimEnd().split("\n") : []);
  return {
    marks,
    agent: {
      name: "scripted",
      command: [process.execPath, "--disable-warning=ExperimentalWarning", SCRIPTED, JSON.stringify({ ...script, marks })],
      programs: [],
      keys: [],
      authMethods: [],
      mode: null,
      readsItself: false,
      usageLog: null,
      waits: null,
      timeoutMs: null,
      install: null,
      prepare: async () => ({
        env: { ...agentEnvironment(process.env), NODE_COMPILE_CACHE: COMPILED },
        args: [],
        hosts: [],
        secrets: ["hunter2-hunter2", ""],
        knowsRole: false,
        knowsModel: false,
      }),
      ...changes,
    },
    noted,
    async reached() {
      while (noted("reached").length === 0) await sleep(20);
    },
    survivors: async () => noted("pids").map(Number).filter(isAlive),
  };
}

function isAlive(pid: number): boolean {
  const stat = `/proc/${pid}/stat`;
  const state = existsSync(stat) ? readFileSync(stat, "utf8").split(") ")[1]?.[0] : undefined;
  return state !== undefined && state !== "Z";
}
