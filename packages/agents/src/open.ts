import { isAbsolute, join } from "node:path";
import { SlipwayError } from "./errors.ts";
import type { AgentsConfig } from "@slipway/kernel/config/agents";
import { openApi } from "./api/open.ts";
import { openCustom } from "./custom.ts";
import { openManual } from "./manual/provider.ts";
import type { Provider } from "./provider.ts";
import { replayProvider } from "./replay.ts";
import type { Selection } from "./select.ts";

export interface OpenContext {
  readonly agents: AgentsConfig | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly root: string;
  readonly cwd: string;
  /** --cassette */
  readonly cassette?: string | undefined;
}

type Opener = (context: OpenContext, selection: Selection) => Promise<Provider>;

/** All providers. Unknown names are refused at selection. Large modules are loaded on demand. */
const OPENERS: Readonly<Record<string, Opener>> = {
  replay: openReplay,
  custom: openCustom,
  api: openApi,
  claude: async (context, selection) => (await import("./clients/open.ts")).openClaude(context, selection),
  codex: async (context, selection) => (await import("./clients/open.ts")).openCodex(context, selection),
  gemini: async (context, selection) => (await import("./clients/open.ts")).openGemini(context, selection),
  opencode: async (context, selection) => (await import("./clients/open.ts")).openOpencode(context, selection),
  acp: async (context, selection) => (await import("./acp/open.ts")).openAcp(context, selection),
  manual: openManual,
};

export async function openProvider(context: OpenContext, selection: Selection): Promise<Provider> {
  const opener = OPENERS[selection.provider.startsWith("acp:") ? "acp" : selection.provider];
  if (opener !== undefined) return opener(context, selection);
  throw new SlipwayError("unsupported_agent_provider", `The provider ${selection.provider} is not available in this version.`, {
    provider: selection.provider,
    suggested_next_actions: [`Use one of ${Object.keys(OPENERS).join(", ")}.`],
  });
}

async function openReplay({ agents, root, cwd, cassette }: OpenContext): Promise<Provider> {
  const folder = cassette ?? agents?.runtime.replay?.cassette;
  if (folder === undefined) {
    throw new SlipwayError("cassette_missing", "The replay provider needs a folder of recorded answers.", {
      file: "slipway/agents.yaml",
      field: "runtime.replay.cassette",
      suggested_next_actions: ["Pass --cassette FOLDER, or set runtime.replay.cassette in slipway/agents.yaml."],
    });
  }
  return replayProvider({ folder: isAbsolute(folder) ? folder : join(cassette === undefined ? root : cwd, folder) });
}
