/** The agents of a run, by role. */
export type RunAgents = Readonly<Record<string, RunAgent>>;

export interface RunAgent {
  readonly provider: string;
  readonly model: string | null;
  /** The name of the variable, not its value. */
  readonly provider_config_env: string | null;
}
