import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { documentedWalk, expectedRefusal, filledIn, WALK_SPEC, type WalkStep } from "slipway/testing/mcp-walk";
import { callerOf, type RawAnswer, type RawCaller } from "../attacks/raw.ts";
import { makeYard, type Yard } from "../attacks/yard.ts";
import { slipway } from "../bad-input/place.ts";
import { programFor, userState, type Flow } from "./flow.ts";
import type { Orders } from "./orders.ts";

export interface ServedFlow extends Flow {
  readonly yard: Yard;
}

/** A repository with the specification of the walk-through, whose user has uncommitted work. */
export async function prepareServed(): Promise<ServedFlow> {
  const yard = await makeYard();
  yard.write(WALK_SPEC.path, WALK_SPEC.text);
  const logs = join(yard.home, "logs");
  mkdirSync(logs);
  return {
    yard,
    folder: yard.root,
    env: { ...yard.env },
    specs: [WALK_SPEC.path],
    log: join(logs, "log"),
    deaths: join(logs, "deaths"),
    program: await programFor("mcp-child"),
    before: userState(yard.root),
  };
}

interface Deaths {
  readonly atPoints: boolean;
  /** Kills a server this long after a call; null lets it live. */
  readonly afterMs?: () => number | null;
}

/**
 * A client that does not give up: if a server dies during its call, it starts another and repeats the call with the same operation id. The
 * two roles have separate servers, and one continues when the other dies.
 */
export async function walkThrough(
  flow: ServedFlow,
  { atPoints, afterMs = () => null }: Deaths,
): Promise<{ deaths: number; problems: string[] }> {
  const servers = new Map<WalkStep["as"], Server>();
  const problems: string[] = [];
  let deaths = 0;
  let version = 0;

  async function answerTo(step: WalkStep, given: Record<string, unknown>): Promise<RawAnswer> {
    for (let tries = 0; tries < 50; tries++) {
      const server = servers.get(step.as) ?? (await serve(flow, step.as, atPoints));
      servers.set(step.as, server);
      const delay = afterMs();
      const timer = delay === null ? undefined : setTimeout(() => server.kill(), delay);
      const answer = await server.caller.call(step.tool, JSON.stringify(given));
      clearTimeout(timer);
      if (answer !== null) return answer;
      servers.delete(step.as);
      deaths++;
    }
    throw new Error(`${step.tool} was never answered`);
  }

  for (const [index, step] of documentedWalk().entries()) {
    const token = "user_approval_token" in step.arguments ? await approve(flow) : null;
    const caller = { actor_type: step.as, actor_id: step.as };
    const named = step.tool === "feature.state_get" ? {} : { operation_id: `walk-${index}` };
    const { result, error } = await answerTo(step, { ...caller, ...named, ...filledIn(step, { version, token }) });
    const said = result?.structuredContent;
    version = said?.data?.state?.version ?? version;
    if (error !== undefined || said?.error?.code !== expectedRefusal(step))
      problems.push(`${step.tool} (${index}): ${JSON.stringify(error ?? said)}`);
  }
  for (const server of servers.values()) await server.end();
  return { deaths, problems };
}

interface Server {
  readonly caller: RawCaller;
  kill(): void;
  end(): Promise<void>;
}

async function serve({ folder, env, specs, log, deaths, program }: Flow, role: WalkStep["as"], atPoints: boolean): Promise<Server> {
  const orders: Orders = { folder, env, specs, log, deaths: atPoints ? deaths : null, share: 1, role };
  const child = spawn(process.execPath, [program, JSON.stringify(orders)], { cwd: folder, env, detached: true });
  child.stderr.resume();
  const closed = once(child, "close");
  return {
    caller: await callerOf(child),
    kill: () => void child.kill("SIGKILL"),
    async end() {
      child.stdin.end();
      await closed;
    },
  };
}

async function approve({ yard }: ServedFlow): Promise<string> {
  const { stdout } = await slipway(yard, ["approve", "greeting"]);
  return stdout.split("\n")[1] ?? "";
}
