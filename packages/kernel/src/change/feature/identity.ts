/** Commits Slipway makes are its own; the person who approved is named in a trailer. */
export function identityOf(at: number) {
  const identity = { name: "Slipway", email: "slipway@localhost" };
  return { author: identity, committer: identity, at };
}
