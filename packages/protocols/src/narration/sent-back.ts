const LONGEST = 240;

/** The start of a message; the transcript has all of it. */
export function cutText(message: string): string {
  return message.length <= LONGEST ? message : `${message.slice(0, LONGEST).toWellFormed()}…`;
}

/** For people: what was wrong with answers that an agent had to give again. */
export function sentBackLines({ sentBack = [] }: { readonly sentBack?: readonly string[] }): { readonly more?: readonly string[] } {
  return sentBack.length === 0 ? {} : { more: sentBack.map((errors) => `an answer was sent back: ${errors}`) };
}
