// `npm run test:mcp`: the MCP project's own conformance suite and Inspector against `slipway mcp`, over HTTP and over stdio.
// Both are installed into a scratch folder outside the repository and kept there for the next time. Needs the network once.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, setUp } from "./setup.mjs";

const CONFORMANCE = "0.1.16";
const INSPECTOR = "2.12.0";
const { node } = setUp();
const suites = join(tmpdir(), `slipway-mcp-suites-${CONFORMANCE}-${INSPECTOR}`);
const conformance = join(suites, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const inspector = join(suites, "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js");
const slipway = join(root, "packages", "cli", "bin", "slipway.mjs");

const failed = [];
const scratch = mkdtempSync(join(tmpdir(), "slipway-mcp-test-"));
try {
  install();
  const place = repository();
  await conform(place);
  for (const era of ["legacy", "modern"]) inspect(place, era);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
console.log(failed.length === 0 ? "MCP: everything passed, or failed as expected" : `MCP: failed: ${failed.join(", ")}`);
process.exit(failed.length === 0 ? 0 : 1);

function install() {
  if (existsSync(conformance) && existsSync(inspector)) return;
  mkdirSync(suites, { recursive: true });
  writeFileSync(join(suites, "package.json"), JSON.stringify({ private: true }));
  const packages = [`@modelcontextprotocol/conformance@${CONFORMANCE}`, `@modelcontextprotocol/inspector@${INSPECTOR}`];
  const args = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", ...packages];
  if (spawnSync("npm", args, { cwd: suites, stdio: "inherit" }).status !== 0) throw new Error("npm could not install the suites");
}

/** The demo's project, committed, with its own home folder. */
function repository() {
  const folder = join(scratch, "repository");
  cpSync(join(root, "packages", "protocols", "demos", "features", "project"), folder, { recursive: true });
  for (const args of [
    ["init", "-q", "-b", "main"],
    ["add", "-A"],
    ["commit", "-q", "-m", "start"],
  ]) {
    spawnSync("git", ["-c", "user.name=test", "-c", "user.email=test@localhost", ...args], { cwd: folder });
  }
  const env = { ...process.env, XDG_CONFIG_HOME: join(scratch, "config"), XDG_STATE_HOME: join(scratch, "state"), HOME: scratch };
  spawnSync(node, [slipway, "trust", "--yes"], { cwd: folder, env });
  return { cwd: folder, env };
}

async function conform(place) {
  const server = spawn(node, [slipway, "mcp", "--http", "--port", "0", "--json"], { ...place, stdio: ["ignore", "pipe", "inherit"] });
  try {
    const { url } = JSON.parse(await firstLine(server.stdout));
    const { token } = JSON.parse(spawnSync(node, [slipway, "mcp", "token", "--json"], { ...place, encoding: "utf8" }).stdout);
    const door = await withToken(url, token);
    const baseline = join(root, "scripts", "mcp-expected-failures.yml");
    const args = [conformance, "server", "--url", door.url, "--expected-failures", baseline, "--output-dir", join(scratch, "results")];
    const status = await ended(spawn(node, args, { ...place, stdio: ["ignore", "inherit", "inherit"] }));
    if (status !== 0) failed.push("conformance");
    door.close();
  } finally {
    server.kill("SIGTERM");
    await ended(server);
  }
}

/** The suite cannot send a token, and the server requires one: this proxy adds it, and does not change Host and Origin. */
function withToken(target, token) {
  const { hostname, port } = new URL(target);
  const door = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const onward = request({ hostname, port, path: incoming.url, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on("error", () => outgoing.destroy());
    outgoing.on("close", () => onward.destroy());
    incoming.pipe(onward);
  });
  return new Promise((resolve) => {
    door.listen(0, "127.0.0.1", () =>
      resolve({
        url: `http://localhost:${door.address().port}/mcp`,
        close: () => (door.closeAllConnections(), door.close()),
      }),
    );
  });
}

/** `--strict` fails on schemas that some client or model provider does not accept. */
function inspect(place, era) {
  const run = (...args) => {
    const options = ["--cli", "--protocol-era", era, "--format", "json", "--quiet", ...args];
    const homes = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "HOME"].flatMap((name) => ["-e", `${name}=${place.env[name]}`]);
    return spawnSync(node, [inspector, ...options, ...homes, "--cwd", place.cwd, node, slipway, "mcp"], { ...place, encoding: "utf8" });
  };
  const list = run("--method", "tools/list", "--strict");
  const tools = list.status === 0 ? JSON.parse(list.stdout).result.tools : [];
  const args = { actor_type: "orchestrator", actor_id: "inspector" };
  const call = run("--method", "tools/call", "--tool-name", "feature.discover_specs", "--tool-args-json", JSON.stringify(args));
  const ok = call.status === 0 && JSON.parse(call.stdout).result.structuredContent.ok === true;
  const refused = run("--method", "tools/call", "--tool-name", "repo.merge", "--tool-args-json", JSON.stringify(args));
  const forbidden = refused.stdout.includes("forbidden_tool_for_role");
  console.log(
    `inspector (${era}): ${tools.length} tools, a read ${ok ? "answered" : "failed"}, a forbidden call ${forbidden ? "refused" : "NOT refused"}`,
  );
  if (tools.length === 31 && ok && forbidden) return;
  failed.push(`inspector (${era})`);
  for (const { stderr } of [list, call, refused]) process.stderr.write(stderr);
}

function firstLine(stream) {
  return new Promise((resolve, reject) => {
    let text = "";
    stream.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(text.slice(0, text.indexOf("\n")));
    });
    stream.on("end", () => reject(new Error(`the server ended: ${text}`)));
  });
}

function ended(child) {
  return child.exitCode === null && child.signalCode === null
    ? new Promise((resolve) => child.on("close", resolve))
    : Promise.resolve(child.exitCode);
}
