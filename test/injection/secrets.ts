/** Texts that must be found nowhere: not on the screen, in the journal, in a transcript or in a log. */
export const SECRETS = {
  /** A variable of the user who runs Slipway. */
  token: "dpl-4f9a1c7e2b8d63055aa1",
  /** A file that git ignores. */
  env: "ENV-CANARY-51c0",
  ssh: "PRIVATE-KEY-CANARY",
  npm: "NPM-CANARY",
} as const;
