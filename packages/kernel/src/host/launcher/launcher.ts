import { randomBytes } from "node:crypto";
import type { Socket } from "node:net";
import { createInterface } from "node:readline";
import { RemoteChild, type Child } from "./child.ts";
import { openConnections } from "./connections.ts";
import { LAUNCHER_SCRIPT } from "./launcher-script.ts";
import {
  introductionOrder,
  parseReport,
  startOrder,
  type Introduction,
  type RemoteReport,
  type SpawnError,
  type StartRequest,
} from "./protocol.ts";
import { spawnHere } from "./spawn.ts";

export type RemoteStarted = { readonly child: Child; readonly pid: number } | { readonly error: SpawnError };

export interface Launcher {
  start(request: StartRequest): Promise<RemoteStarted>;
  readonly pid: number;
}

interface LauncherOptions extends Pick<StartRequest, "limits" | "bound"> {
  readonly script?: string;
}

interface Order {
  readonly request: StartRequest;
  readonly answer: (started: RemoteStarted) => void;
}

interface Sent extends Order {
  readonly streams: readonly (Socket | null)[];
}

const PERL = "/usr/bin/perl";
const GONE: RemoteStarted = { error: { code: "EAGAIN", message: "The process that starts others has ended.", transient: true } };

/**
 * Null where it cannot be had. `onGone` is called when nothing can be asked of it any more, with whether it ever could. What it
 * starts inherits its limits, so that those need no process of their own each time.
 */
export async function openLauncher(
  onGone: (worked: boolean) => void,
  { limits = [], bound = false, script = LAUNCHER_SCRIPT }: LauncherOptions = {},
): Promise<Launcher | null> {
  // Abstract: no file that could be left behind, and a sandbox without the host's network does not see it.
  const introduction: Introduction = { address: `\0slipway-${random()}`, secret: random(), bound };
  const connections = await openConnections(introduction, () => sendWaiting()).catch(() => null);
  if (connections === null) return null;
  const started = await spawnHere({
    file: PERL,
    // The name is what the list of processes shows.
    args: ["-f", "-e", script, "slipway-launcher"],
    cwd: "/",
    env: {},
    stdio: ["pipe", "pipe", "ignore"],
    limits,
  });
  if ("error" in started) {
    connections.close();
    return null;
  }
  const { stdin, stdout } = started.child as unknown as { readonly stdin: Socket; readonly stdout: Socket };
  const waiting: Order[] = [];
  const sent = new Map<number, Sent>();
  const children = new Map<number, RemoteChild>();
  let orders = 0;
  let holders = 0;
  const hold = () => void (holders++ === 0 && stdout.ref());
  const release = () => void (--holders === 0 && stdout.unref());

  /** In order, and each only when all its streams are there: two that have half of theirs would wait for each other. */
  function sendWaiting(): void {
    for (let order = waiting[0]; order !== undefined; order = waiting[0]) {
      const taken = connections?.take(order.request.stdio.filter((wanted) => wanted === "pipe").length) ?? null;
      if (taken === null) return;
      waiting.shift();
      send(order, taken);
    }
  }

  function send(order: Order, taken: (readonly [number, Socket])[]): void {
    const id = orders++;
    const streams: (Socket | null)[] = [];
    const stdio = order.request.stdio.map((wanted) => {
      const [connection, stream] = (wanted === "pipe" ? taken.shift() : undefined) ?? [-1, null];
      streams.push(stream);
      return wanted === "pipe" ? { connection } : wanted;
    });
    sent.set(id, { ...order, streams });
    const { limits: _inherited, bound: _known, ...request } = order.request;
    stdin.write(startOrder({ ...request, id, stdio }));
  }

  function hear(report: RemoteReport): void {
    if ("ending" in report) {
      const child = children.get(report.id);
      children.delete(report.id);
      // Whoever has just been given the child listens from the next turn on.
      return void setImmediate(() => child?.end(...report.ending));
    }
    const asked = sent.get(report.id);
    sent.delete(report.id);
    if ("pid" in report) {
      const child = new RemoteChild(report.pid, asked?.streams ?? [], hold, release);
      children.set(report.id, child);
      return asked?.answer({ child, pid: report.pid });
    }
    for (const stream of asked?.streams ?? []) stream?.destroy();
    asked?.answer(report);
  }

  let gone = false;
  function end(): void {
    if (gone) return;
    gone = true;
    connections?.close();
    // What it was never asked for can still be started; of the rest nobody knows whether it was.
    for (const { request, answer } of waiting) void spawnHere(request).then(answer);
    for (const { answer } of sent.values()) answer(GONE);
    for (const child of children.values()) child.end(null, "SIGKILL");
    onGone(orders > 0);
  }

  started.child.once("exit", end).unref();
  // Where nothing else keeps this process alive, the exit is not heard any more, but the end of its output is.
  stdout.once("close", end);
  // That it has ended is told by its exit.
  stdin.on("error", () => undefined).unref();
  stdout.unref();
  createInterface({ input: stdout }).on("line", (line) => hear(parseReport(line)));
  stdin.write(introductionOrder(introduction));
  return {
    pid: started.pid,
    start(request) {
      if (gone) return spawnHere(request);
      hold();
      const { promise, resolve } = Promise.withResolvers<RemoteStarted>();
      waiting.push({ request, answer: resolve });
      sendWaiting();
      return promise.finally(release);
    },
  };
}

function random(): string {
  return randomBytes(16).toString("hex");
}
