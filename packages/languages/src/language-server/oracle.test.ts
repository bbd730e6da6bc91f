import type { Sandbox } from "@slipway/kernel/host/sandbox/contract";
import { untilBegun } from "@slipway/kernel/host/sandbox/testing/until-begun";
import { beforeAll, describe, expect, test } from "vitest";
import type { SourceTree } from "../adapter.ts";
import { projectFolder } from "../testing/adapter-suite.ts";
import { testSandbox } from "../testing/tools-here.ts";
import { openDocuments } from "./documents.ts";
import { openServerOracle } from "./oracle.ts";

/** A language server whose diagnostics are the lines with the word `bad`. `MODE` says how it misbehaves. */
const SERVER = String.raw`
const mode = process.argv[2];
const texts = new Map();
let rest = Buffer.alloc(0);
const send = (message) => {
  const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write("Content-Length: " + Buffer.byteLength(body) + "\r\n\r\n" + body);
};
const found = (uri) =>
  (texts.get(uri)?.text ?? "").split("\n").flatMap((line, index) => {
    const at = line.indexOf("bad");
    const range = { start: { line: index, character: at }, end: { line: index, character: at + 3 } };
    return at < 0 ? [] : [{ range, severity: line.includes("warn") ? 2 : 1, message: "bad word" }];
  });
const publish = (uri) => mode === "push" && !texts.get(uri).text.includes("quiet") && send({ method: "textDocument/publishDiagnostics", params: { uri, version: texts.get(uri).version, diagnostics: found(uri) } });
const handle = ({ id, method, params }) => {
  if (mode === "silent") return;
  if (method === "initialize") {
    send({ id: 900, method: "workspace/configuration", params: { items: [{}, {}] } });
    send({ method: "window/logMessage", params: {} });
    return send({ id, result: { capabilities: mode === "push" || mode === "register" ? {} : { diagnosticProvider: {} } } });
  }
  if (method === "initialized" && mode === "register") {
    return send({ id: 901, method: "client/registerCapability", params: { registrations: [{ id: "1", method: "textDocument/diagnostic" }] } });
  }
  if (method === "textDocument/didOpen") { texts.set(params.textDocument.uri, params.textDocument); return publish(params.textDocument.uri); }
  if (method === "textDocument/didChange") {
    texts.set(params.textDocument.uri, { ...params.textDocument, text: params.contentChanges[0].text });
    if (texts.get(params.textDocument.uri).text.includes("crash")) process.exit(3);
    return publish(params.textDocument.uri);
  }
  if (method !== "textDocument/diagnostic") return;
  if (mode === "refuse") return send({ id, error: { code: -1, message: "not now" } });
  if (mode === "garbage") return process.stdout.write("no header".repeat(2000));
  if (texts.get(params.textDocument.uri)?.text.includes("hang")) return;
  send({ id, result: { kind: "full", items: found(params.textDocument.uri) } });
};
process.stdin.on("data", (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  for (;;) {
    const end = rest.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/\d+/.exec(rest.toString("latin1", 0, end))[0]);
    if (rest.length < end + 4 + length) return;
    const message = JSON.parse(rest.toString("utf8", end + 4, end + 4 + length));
    rest = rest.subarray(end + 4 + length);
    handle(message);
  }
});
`;

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await testSandbox();
});

const TREE: SourceTree = { "a.txt": "good\n", "b.txt": "good\nbad warn\n" };

function open(mode: string, more: { requestMs?: number; signal?: AbortSignal; affectsOthers?: boolean } = {}) {
  const folder = projectFolder({ ...TREE, "server.mjs": SERVER });
  const { requestMs = 20_000, affectsOthers = false, ...rest } = more;
  let starts = 0;
  const oracle = openServerOracle({
    tree: TREE,
    affectsOthers: () => affectsOthers,
    start(tree) {
      starts++;
      return openDocuments({ sandbox, folder, command: ["node", "server.mjs", mode], requestMs, ...rest }, "text", tree);
    },
  });
  return { oracle, starts: () => starts };
}

describe.each(["pull", "push", "register"])("an oracle over a server with %s diagnostics", (mode) => {
  test("reports errors with their place, keeps an accepted text and forgets a checked one", async () => {
    const oracle = await open(mode).oracle;
    expect(await oracle.check()).toEqual({ passed: true, problems: [] });
    expect(await oracle.checkFile("a.txt", "x\n  bad\n")).toEqual({
      passed: false,
      problems: [{ file: "a.txt", line: 2, column: 3, message: "bad word" }],
    });
    expect((await oracle.check()).passed).toBe(true);
    await oracle.accept("c.txt", "bad");
    expect((await oracle.check()).problems.map(({ file }) => file)).toEqual(["c.txt"]);
    expect((await oracle.checkFile("c.txt", "fine")).passed).toBe(true);
    await oracle.close();
  });
});

describe("an oracle", () => {
  test("checks all files if a change can affect them", async () => {
    const oracle = await open("pull", { affectsOthers: true }).oracle;
    await oracle.accept("b.txt", "bad");
    expect((await oracle.checkFile("a.txt", "fine")).problems.map(({ file }) => file)).toEqual(["b.txt"]);
    await oracle.close();
  });

  test("starts a server that crashed again, with the accepted texts", async () => {
    const { oracle: opening, starts } = open("pull");
    const oracle = await opening;
    await oracle.accept("a.txt", "bad");
    await expect(oracle.checkFile("b.txt", "crash")).rejects.toMatchObject({ code: "compiler_failed" });
    expect((await oracle.check()).problems.map(({ file }) => file)).toEqual(["a.txt"]);
    expect(starts()).toBeGreaterThan(1);
    await oracle.close();
  });

  test("gives up on a server that does not answer in time", async () => {
    const refused = await untilBegun((limitMs) => refusalWithin(limitMs, "pull", "hang"), hasStarted);
    expect(refused.error).toMatchObject({
      code: "compiler_failed",
      message: expect.stringContaining(`did not answer textDocument/diagnostic within ${refused.limitMs} ms`) as string,
    });
  });

  test("gives up on a server that sends no diagnostics of its own accord", async () => {
    const refused = await untilBegun((limitMs) => refusalWithin(limitMs, "push", "quiet"), hasStarted);
    expect(refused.error).toMatchObject({
      code: "compiler_failed",
      message: expect.stringContaining("no diagnostics") as string,
    });
  });

  /** What a check of this text is refused with by a server that must also start within the limit. */
  async function refusalWithin(limitMs: number, mode: string, text: string): Promise<{ error: unknown; limitMs: number }> {
    try {
      const oracle = await open(mode, { requestMs: limitMs }).oracle;
      try {
        await oracle.checkFile("a.txt", text);
      } finally {
        await oracle.close();
      }
    } catch (error) {
      return { error, limitMs };
    }
    return { error: null, limitMs };
  }

  const hasStarted = ({ error }: { error: unknown }) => !String(error).includes("did not answer initialize");

  test.each([
    ["refuse", "not now"],
    ["garbage", "no header"],
  ])("reports what a server that answers with %s did", async (mode, message) => {
    const oracle = await open(mode).oracle;
    await expect(oracle.check()).rejects.toMatchObject({ code: "compiler_failed", message: expect.stringContaining(message) as string });
    await oracle.close();
  });

  test("fails to open if the server says nothing, is missing or is aborted", async () => {
    await expect(open("silent", { requestMs: 500 }).oracle).rejects.toMatchObject({ code: "compiler_failed" });
    await expect(open("pull", { signal: AbortSignal.abort() }).oracle).rejects.toMatchObject({ code: "compiler_failed" });
    const folder = projectFolder(TREE);
    await expect(openDocuments({ sandbox, folder, command: ["no-such-server", "x"], requestMs: 5000 }, "text", TREE)).rejects.toMatchObject(
      {
        code: "compiler_failed",
        message: expect.stringContaining("no-such-server") as string,
      },
    );
  });

  test("a closed one answers nothing more", async () => {
    const documents = await openDocuments(
      { sandbox, folder: projectFolder({ ...TREE, "server.mjs": SERVER }), command: ["node", "server.mjs", "pull"], requestMs: 20_000 },
      "text",
      TREE,
    );
    await documents.close();
    expect(documents.isOpen).toBe(false);
    await expect(documents.problemsOf("a.txt")).rejects.toMatchObject({ code: "compiler_failed" });
  });
});
