import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { byTurn, type Script, type ScriptedAnswer } from "./script.ts";
import { startModelServer } from "./server.ts";

/** Takes a module whose default export is a script or a list of answers by turn; prints its address as one line of JSON. */
const { values } = parseArgs({ options: { script: { type: "string" }, port: { type: "string" } } });
if (values.script === undefined) throw new Error("Usage: main.ts --script FILE [--port PORT]");
const exported: { readonly default: Script | [ScriptedAnswer, ...ScriptedAnswer[]] } = await import(
  pathToFileURL(resolve(values.script)).href
);
const script = typeof exported.default === "function" ? exported.default : byTurn(...exported.default);
const server = await startModelServer(script, { port: Number(values.port ?? 0) });
console.log(JSON.stringify({ url: server.url, port: server.port, baseUrls: server.baseUrls }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void server.close());
