import { enableCompileCache } from "node:module";
import { join } from "node:path";

// Types are stripped, and modules compiled, once for all the processes of the tests.
enableCompileCache(join(import.meta.dirname, "..", "..", ".compiled"));
const { main } = await import("../main.ts");
process.exitCode = await main(process.argv.slice(2));
