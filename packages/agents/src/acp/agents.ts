import type { ClientName, Trouble } from "../clients/client.ts";
import type { Diary } from "../clients/diary.ts";
import type { ProviderRequest } from "../provider.ts";

/** An agent that is started and spoken to over the protocol. */
export interface AcpAgent {
  readonly name: string;
  readonly command: readonly string[];
  readonly programs: readonly string[];
  /** Which variables hold its key; any one of them will do. */
  readonly keys: readonly string[];
  readonly authMethods: readonly string[];
  readonly mode: string | null;
  /** It reads the pack's files itself, in the sandbox, instead of asking for them. */
  readonly readsItself: boolean;
  /** Where it writes down what it takes, if it is known. */
  readonly diary: Diary | null;
  /** What it says beside the protocol of a wait that is better waited for out here. */
  readonly waits: ((line: Readonly<Record<string, unknown>>, now: number) => Trouble | null) | null;
  readonly timeoutMs: number | null;
  /** A command line, for the person who does not have it. */
  readonly install: string | null;
  /** Writes the agent's own configuration into its home, and says what else its process gets. */
  readonly prepare: (request: ProviderRequest, home: string) => Promise<Surroundings>;
}

export interface Surroundings {
  /** The whole environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly hosts: readonly string[];
  /** Values that must appear in no error. */
  readonly secrets: readonly string[];
  /** More arguments for its command. */
  readonly args: readonly string[];
  /** Whether the role's prompt is part of what was written into its home. */
  readonly knowsRole: boolean;
  /** Whether it was told its model already; otherwise it is told over the protocol. */
  readonly knowsModel: boolean;
}

/** An agent that can be named without being configured: the same client as without the protocol, in another dress. */
export interface KnownAgent extends Pick<AcpAgent, "authMethods" | "mode" | "readsItself" | "install"> {
  readonly client: ClientName;
  readonly command: readonly string[];
  readonly settings: Readonly<Record<string, string>>;
  readonly knowsRole: boolean;
  /** How it is told its model: by a list of its own it knows few of them. */
  readonly told: (model: string) => { readonly env?: Readonly<Record<string, string>>; readonly args?: readonly string[] };
}

/** What each needs was tried with the versions that `npm run test:clients` installs. */
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
    told: (model) => ({ env: { ANTHROPIC_MODEL: model } }),
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
    told: (model) => ({ env: { CODEX_CONFIG: JSON.stringify({ model }) } }),
  },
  gemini: {
    client: "gemini",
    command: ["gemini", "--acp"],
    authMethods: ["gemini-api-key"],
    mode: "default",
    // Before it writes a file it reads it, and of what it asks for it cannot tell "there is none" from any other error (0.61.0): it
    // would never write a new one.
    readsItself: true,
    install: "npm i -g @google/gemini-cli",
    settings: {},
    knowsRole: true,
    told: (model) => ({ args: ["-m", model] }),
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
    told: () => ({}),
  },
};
