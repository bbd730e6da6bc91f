/** Broken lines that behave as before, so that no test can notice: the path, the line as it becomes, and why. */
export const EQUIVALENTS: readonly { readonly path: string; readonly is: string; readonly why: string }[] = [];
