import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Only through `npm run test:clients`, which installs the clients. One client at a time: each needs both cores and a gigabyte. */
export default defineConfig({
  resolve: { conditions: ["slipway-source"] },
  ssr: { resolve: { conditions: ["slipway-source"] } },
  test: {
    name: "clients",
    root: import.meta.dirname,
    include: ["**/*.suite.ts"],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
    fileParallelism: false,
    reporters: [
      "default",
      ["json", { outputFile: process.env["SLIPWAY_CLIENTS_REPORT"] ?? join(import.meta.dirname, "..", "..", "reports", "clients.json") }],
    ],
  },
});
