// `npm run generate:tools`: the tool catalog, its schemas and docs/tools.md, from the definitions.
// `npm run check:tools`: the same in memory, compared with the files and with the installed SDK; names every difference.
import { ALL_TOOLS } from "../packages/kernel/src/tools/all.ts";
import { contractProblems, generatedFiles, writeGenerated } from "../packages/mcp/src/contract.ts";
import { protocolTools } from "../packages/protocols/src/all-protocols.ts";
import { root } from "./setup.mjs";

const files = generatedFiles([...ALL_TOOLS, ...(await protocolTools())]);
if (process.argv.includes("--check")) {
  const problems = await contractProblems(root, files);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) console.error("Run `npm run generate:tools`, check the changes, and commit them.");
  process.exitCode = problems.length === 0 ? 0 : 1;
} else {
  writeGenerated(root, files);
  console.log(`${files.size} files written`);
}
