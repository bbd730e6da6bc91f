const CHARACTERS_PER_TOKEN = 4;

/** About as many tokens as a model counts for a text of program code or English. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}
