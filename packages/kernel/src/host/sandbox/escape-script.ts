/** The attempts that succeeded, as seen by the command inside. */
export interface Attempts {
  readonly variable: boolean;
  readonly environment: boolean;
  readonly process: boolean;
  readonly systemFile: boolean;
  readonly shadow: boolean;
  readonly git: boolean;
  readonly tcp: boolean;
  readonly socket: boolean;
  /** /run, where host services have their sockets, was not empty. */
  readonly runFolder: boolean;
  readonly privileged: boolean;
}

/** Runs inside with Slipway's Node. Its argument names the targets. */
export const ESCAPE_SCRIPT = `
const fs = require("node:fs");
const net = require("node:net");
const { canary, outside, port, sockets } = JSON.parse(process.argv[1]);
const read = (path) => { try { return fs.readFileSync(path, "latin1"); } catch { return ""; } };
const write = (path) => { try { fs.writeFileSync(path, "x"); fs.unlinkSync(path); return true; } catch { return false; } };
const connect = (address) => new Promise((resolve) => {
  const socket = net.connect(address);
  socket.once("connect", () => { socket.destroy(); resolve(true); });
  socket.once("error", () => resolve(false));
  setTimeout(() => { socket.destroy(); resolve(false); }, 1000).unref();
});
const others = fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid);
(async () => {
  fs.writeFileSync("inside", "x");
  try { fs.writeFileSync(outside, "x"); } catch {}
  try { fs.writeFileSync(".git", "x"); } catch {}
  const reached = await Promise.all([connect({ port, host: "127.0.0.1" }), ...sockets.map((path) => connect({ path }))]);
  console.log(JSON.stringify({
    variable: Object.values(process.env).includes(canary),
    environment: others.some((pid) => read("/proc/" + pid + "/environ").includes(canary)),
    process: others.some((pid) => read("/proc/" + pid + "/cmdline").startsWith(canary)),
    systemFile: ["/usr/slipway-probe", "/etc/slipway-probe", "/slipway-probe"].some(write),
    shadow: read("/etc/shadow") !== "",
    git: read(".git").includes(canary),
    tcp: reached[0],
    socket: reached.slice(1).some(Boolean),
    runFolder: fs.readdirSync("/run").length > 0,
    privileged: process.getuid() === 0 || !/^CapEff:\\s*0+$/m.test(read("/proc/self/status")),
  }));
})();
`;
