export interface PromptOption {
  readonly value: string;
  readonly label: string;
}

/** Questions of a command to the person who called it. Null if the person cancels. */
export interface PersonPrompt {
  /** By arrow keys and Enter, or by the number of the option and Enter. A number that no option has is refused, and asked for again. */
  choose(message: string, options: readonly PromptOption[], initial?: string): Promise<string | null>;
  /** One line of text, which may be empty. */
  write(message: string): Promise<string | null>;
}
