import type { Project } from "./contract.ts";
import { ledger } from "./projects/ledger.ts";
import { discovered, globbed, listed } from "./projects/lists.ts";
import { till } from "./projects/till.ts";
import { workspace } from "./projects/workspace.ts";

export const PROJECTS: readonly Project[] = [till, ledger, workspace, globbed, listed, discovered];
