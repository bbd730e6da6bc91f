// A small process that starts others. Starting one means copying the page tables of whoever starts it, and Slipway's are large.
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { SPARE_CONNECTIONS, greeting, type Introduction, type RemoteReport, type RemoteStart } from "./protocol.ts";
import { spawnHere } from "./spawn.ts";

const connections = new Map<number, Socket>();
let made = 0;

function report(what: RemoteReport): void {
  process.stdout.write(`${JSON.stringify(what)}\n`);
}

function addConnection({ address, secret }: Introduction): void {
  const number = made++;
  const connection = connect(address);
  // What comes in is for the process that will have it.
  connection.pause();
  connection.on("error", () => connections.delete(number));
  connection.write(greeting(secret, number));
  connections.set(number, connection);
}

function take(number: number): Socket | "ignore" {
  const connection = connections.get(number);
  connections.delete(number);
  return connection ?? "ignore";
}

async function start({ id, stdio, ...request }: RemoteStart, introduction: Introduction): Promise<void> {
  const own = stdio.map((wanted) => (typeof wanted === "object" && "connection" in wanted ? take(wanted.connection) : wanted));
  const started = await spawnHere({ ...request, stdio: own });
  const taken = own.filter((wanted): wanted is Socket => typeof wanted === "object" && "write" in wanted);
  for (const connection of taken) connection.destroy();
  if ("error" in started) report({ id, error: started.error });
  else {
    started.child.once("exit", (code, signal) => report({ id, ending: [code, signal] }));
    report({ id, pid: started.pid });
  }
  for (let count = taken.length; count > 0; count--) addConnection(introduction);
}

let introduction: Introduction | null = null;
createInterface({ input: process.stdin })
  .on("line", (line) => {
    if (introduction !== null) return void start(JSON.parse(line) as RemoteStart, introduction);
    introduction = JSON.parse(line) as Introduction;
    for (let count = SPARE_CONNECTIONS; count > 0; count--) addConnection(introduction);
  })
  // Whoever asked has gone; what was started ends as it would have without this process.
  .on("close", () => process.exit());
