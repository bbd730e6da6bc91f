/** How often a failure is tried again. Nothing here depends on the size or risk of the work. */
export const BUDGETS = {
  /** Of one tool call inside an agent, for a transient failure. */
  toolRetries: 2,
  /** Of one dispatch. */
  redispatches: 1,
  /** A missing file, a denied permission, a second broken answer. */
  deterministicRetries: 0,
  verificationIterations: 3,
  /** From this failed iteration on, a task is reverted before it is planned again. */
  revertFrom: 2,
  designRevisions: 1,
  reviewRounds: 2,
} as const;
