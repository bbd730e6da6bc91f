import { mkdir, mkdtemp, open, realpath, type FileHandle } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeTree } from "../files/remove-tree.ts";
import type { Sandbox } from "./contract.ts";
import { whyNot, type Probe } from "./probe-result.ts";

const RUN_TIMEOUT_MS = 20_000;
const SOCKET = "daemon.sock";

/** Its arguments are folders. Relative, because the address of a socket has at most 107 bytes. */
const CONNECT_SCRIPT = `
const net = require("node:net");
const connect = (folder) => new Promise((resolve) => {
  process.chdir(folder);
  const socket = net.connect("${SOCKET}");
  socket.once("connect", () => resolve("reached"));
  socket.once("error", () => resolve("refused"));
});
(async () => {
  for (const folder of process.argv.slice(1)) console.log(await connect(folder));
  process.exit();
})();
`;

/** Listens in two folders that the command is shown, one at its own path and one in the worktree, and has the command connect to both. */
export async function tryShownSockets(sandbox: Sandbox): Promise<Probe> {
  const name = "overlays that close sockets in shown folders";
  const scratch = await realpath(await mkdtemp(join(tmpdir(), "slipway-probe-")));
  const [worktree, readOnly, shared] = [join(scratch, "worktree"), join(scratch, "read-only"), join(scratch, "shared")];
  const bait: Bait[] = [];
  let output = "";
  try {
    await mkdir(worktree);
    for (const folder of [readOnly, shared]) bait.push(await listenIn(folder));
    const outcome = await sandbox.run({
      worktree,
      command: ["node", "-e", CONNECT_SCRIPT, readOnly, join(worktree, "shown")],
      readOnly: [readOnly],
      shared: [{ from: shared, to: "shown" }],
      git: "none",
      timeoutMs: RUN_TIMEOUT_MS,
      onOutput: (_, chunk) => (output += Buffer.from(chunk).toString("utf8")),
    });
    if (bait.some(({ reached }) => reached()) || output.includes("reached"))
      return { name, passed: false, detail: "a daemon's socket was reached" };
    const passed = output === "refused\nrefused\n";
    return { name, passed, detail: passed ? "held" : whyNot(outcome, output) };
  } finally {
    for (const { server, handle } of bait) {
      server.close();
      await handle.close();
    }
    await removeTree(scratch);
  }
}

interface Bait {
  readonly server: Server;
  readonly handle: FileHandle;
  reached(): boolean;
}

/** Makes the folder and a daemon's socket in it. */
async function listenIn(folder: string): Promise<Bait> {
  await mkdir(folder);
  const handle = await open(folder);
  let count = 0;
  const server = createServer((socket) => {
    count += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(`/proc/self/fd/${handle.fd}/${SOCKET}`, resolve);
  });
  return { server: server.unref(), handle, reached: () => count > 0 };
}
