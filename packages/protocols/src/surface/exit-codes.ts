export const EXIT = { done: 0, bug: 1, usage: 2, failed: 3, regression: 4, personNeeded: 23 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
