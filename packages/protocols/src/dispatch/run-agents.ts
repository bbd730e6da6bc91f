/** Who plays the roles of a run, by the role. */
export type RunAgents = Readonly<Record<string, RunAgent>>;

export interface RunAgent {
  readonly provider: string;
  readonly model: string | null;
  /** The name of the variable, not what is in it. */
  readonly provider_config_env: string | null;
}
