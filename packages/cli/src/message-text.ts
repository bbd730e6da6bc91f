import type { Candidate } from "@slipway/kernel/change/land/candidate";

/** The part of an approval that names what the commit will say. */
export function messageText({ message, strategy }: Pick<Candidate, "message" | "strategy">): string {
  return `It will land by ${strategy}, with this commit message and Slipway's own trailers:\n${indented(message)}\n`;
}

/** So that no line of it looks like one of Slipway's. */
export function indented(message: string): string {
  return message
    .split("\n")
    .map((line) => `    ${line}`.trimEnd())
    .join("\n");
}
