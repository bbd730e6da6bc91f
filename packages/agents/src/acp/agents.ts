import type { ClientName, ClientError } from "../clients/client.ts";
import type { UsageLog } from "../clients/usage-log.ts";
import type { ProviderRequest } from "../provider.ts";

/** An agent that speaks the Agent Client Protocol. */
export interface AcpAgent {
  readonly name: string;
  readonly command: readonly string[];
  readonly programs: readonly string[];
  /** Variables that can hold its key; one of them is enough. */
  readonly keys: readonly string[];
  readonly authMethods: readonly string[];
  readonly mode: string | null;
  /** Whether it reads the pack's files itself, in the sandbox, instead of through the protocol. */
  readonly readsItself: boolean;
  /** Where it logs its usage, if known. */
  readonly usageLog: UsageLog | null;
  /** Recognises its message about a provider limit, so that Slipway can wait instead of the agent. */
  readonly waits: ((line: Readonly<Record<string, unknown>>, now: number) => ClientError | null) | null;
  readonly timeoutMs: number | null;
  /** A command line for people who do not have it. */
  readonly install: string | null;
  /** Writes the agent's own configuration into its home, and returns the rest of its environment. */
  readonly prepare: (request: ProviderRequest, home: string) => Promise<AcpEnvironment>;
}

export interface AcpEnvironment {
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly hosts: readonly string[];
  /** Values that must appear in no error. */
  readonly secrets: readonly string[];
  /** More arguments for its command. */
  readonly args: readonly string[];
  /** Whether its home contains the role's prompt already. */
  readonly knowsRole: boolean;
  /** Whether its model is configured already; otherwise it is set over the protocol. */
  readonly knowsModel: boolean;
}

/** An agent that works without configuration: a supported client with an ACP front end. */
export interface KnownAgent extends Pick<AcpAgent, "authMethods" | "mode" | "readsItself" | "install"> {
  readonly client: ClientName;
  readonly command: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  readonly knowsRole: boolean;
  /** How its model is passed: its own list names only a few. */
  readonly modelSettings: (model: string) => { readonly env?: Readonly<Record<string, string>>; readonly args?: readonly string[] };
}

/** Tried with the versions that `npm run test:clients` installs. */
export const KNOWN_AGENTS: Readonly<Record<string, KnownAgent>> = {
  claude: {
    client: "claude",
    command: ["claude-agent-acp"],
    authMethods: [],
    mode: "default",
    readsItself: false,
    install: "npm i -g @agentclientprotocol/claude-agent-acp",
    settings: {},
    knowsRole: false,
    modelSettings: (model) => ({ env: { ANTHROPIC_MODEL: model } }),
  },
  codex: {
    client: "codex",
    command: ["codex-acp"],
    authMethods: ["api-key"],
    mode: "agent-full-access",
    readsItself: false,
    install: "npm i -g @agentclientprotocol/codex-acp",
    settings: { INITIAL_AGENT_MODE: "agent-full-access", NO_BROWSER: "1" },
    knowsRole: true,
    modelSettings: (model) => ({ env: { CODEX_CONFIG: JSON.stringify({ model }) } }),
  },
  gemini: {
    client: "gemini",
    command: ["gemini", "--acp"],
    authMethods: ["gemini-api-key"],
    mode: "default",
    // It reads a file before it writes it, and cannot tell "not found" from other errors (0.61.0), so it would never create a file.
    readsItself: true,
    install: "npm i -g @google/gemini-cli",
    settings: {},
    knowsRole: true,
    modelSettings: (model) => ({ args: ["-m", model] }),
  },
  opencode: {
    client: "opencode",
    command: ["opencode", "acp"],
    authMethods: [],
    mode: null,
    readsItself: false,
    install: "npm i -g opencode-ai",
    settings: {},
    knowsRole: false,
    modelSettings: () => ({}),
  },
};
