import { trustAnything } from "@slipway/kernel/config/trust/testing/trust-anything";
import { runStdio } from "@slipway/mcp/run";
import { underOrders } from "./orders.ts";

const { orders, point } = underOrders();

await runStdio(
  {
    cwd: orders.folder,
    env: orders.env,
    askTrust: trustAnything,
    version: "1.0.0",
    signal: new AbortController().signal,
    report: (line) => void process.stderr.write(`${line}\n`),
    observe: ({ phase, operationId }) => point(`${phase} ${operationId}`),
  },
  { stdin: process.stdin, stdout: process.stdout },
  { role: orders.role ?? null, feature: null, run: null },
);
