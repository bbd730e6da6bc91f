import { enableCompileCache } from "node:module";
import { join } from "node:path";

// A compile cache shared by all processes of the tests.
enableCompileCache(join(import.meta.dirname, "..", "..", ".compiled"));
const { main } = await import("../main.ts");
process.exitCode = await main(process.argv.slice(2));
