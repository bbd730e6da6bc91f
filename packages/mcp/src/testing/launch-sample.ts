import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import { sampleTools } from "@slipway/kernel/tools/testing/sample-tools";
import { runStdio } from "../run.ts";
import { slowTool } from "./slow-tool.ts";

// Serves the sample tools as a separate process. Arguments: the folder of their schemas, the role.
const [, , folder = "", role = ""] = process.argv;
const stopping = new AbortController();
process.once("SIGTERM", () => stopping.abort());
const { definition, stopped } = slowTool();
void stopped.then(() => process.stderr.write("the slow call was stopped\n"));
const definitions = [...sampleTools(), definition];
await runStdio(
  {
    cwd: process.cwd(),
    env: process.env,
    askTrust: trustAnything,
    version: "0.0.0",
    signal: stopping.signal,
    report: (line) => process.stderr.write(`${line}\n`),
    unsandboxed: { reason: "scripted test", by: "kim" },
    table: new Map(definitions.map((tool) => [tool.name, tool])),
    folder,
  },
  { stdin: process.stdin, stdout: process.stdout },
  { role: role === "" ? null : (role as "builder"), feature: null, run: null },
);
process.stderr.write("ended in order\n");
