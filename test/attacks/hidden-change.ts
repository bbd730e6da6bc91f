/** A change in which a gate without tests finds nothing: a source file, and a file that a tool executes by itself. */
export const DECIDING = ["lib/sum.js", "export const sum = (left, right) => Number(left) + Number(right);\n"] as const;
export const SELF_RUN = [".envrc", "export TOKEN=1\n"] as const;
