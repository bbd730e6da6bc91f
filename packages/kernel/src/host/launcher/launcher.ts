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
const GONE: RemoteStarted = { error: { code: "EAGAIN", message: "The launcher has ended.", transient: true } };

/**
 * Null if the launcher cannot be started. `onGone` is called when it has ended, with whether it ever worked. Its children inherit
 * its limits, so that no prlimit process is needed for each start.
 */
export async function openLauncher(
  onGone: (worked: boolean) => void,
  { limits = [], bound = false, script = LAUNCHER_SCRIPT }: LauncherOptions = {},
): Promise<Launcher | null> {
  // An abstract socket leaves no file behind, and is invisible in a sandbox without the host's network.
  const introduction: Introduction = { address: `\0slipway-${random()}`, secret: random(), bound };
  const connections = await openConnections(introduction, () => sendWaiting()).catch(() => null);
  if (connections === null) return null;
  const started = await spawnHere({
    file: PERL,
    // The process list shows this name.
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

  /** Sends requests in order, each only with all its connections: two with half of theirs would deadlock. */
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
      // The caller adds its listeners in the next turn of the event loop.
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
    // Unsent requests can be started here; for sent ones it is unknown whether they were started.
    for (const { request, answer } of waiting) void spawnHere(request).then(answer);
    for (const { answer } of sent.values()) answer(GONE);
    for (const child of children.values()) child.end(null, "SIGKILL");
    onGone(orders > 0);
  }

  started.child.once("exit", end).unref();
  // If nothing else keeps this process alive, "exit" is not emitted, but the end of the output is.
  stdout.once("close", end);
  // Its exit reports the end; ignore the write error.
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
