/** Slipway's commits carry its own identity; a trailer names the person who approved. */
export function identityOf(at: number) {
  const identity = { name: "Slipway", email: "slipway@localhost" };
  return { author: identity, committer: identity, at };
}
