// `npm run generate:tools`: the tool catalogs, their schemas, docs/tools.md and docs/servers.md, from the definitions.
// `npm run check:tools`: the same in memory, compared with the files and with the installed SDK; names every difference.
import { ALL_TOOLS } from "../packages/kernel/src/tools/all.ts";
import { contractProblems, generatedFiles, serverFiles, writeGenerated } from "../packages/mcp/src/contract.ts";
import { protocolTools, protocolServers } from "../packages/protocols/src/all-protocols.ts";
import { root } from "./setup.mjs";

const files = new Map([...generatedFiles([...ALL_TOOLS, ...(await protocolTools())]), ...serverFiles(await protocolServers())]);
if (process.argv.includes("--check")) {
  const problems = await contractProblems(root, files);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) console.error("Run `npm run generate:tools`, check the changes, and commit them.");
  process.exitCode = problems.length === 0 ? 0 : 1;
} else {
  writeGenerated(root, files);
  console.log(`${files.size} files written`);
}
