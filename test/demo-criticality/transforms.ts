/** The answers to patterns of the catalog. */
export const TRANSFORMS: readonly {
  readonly role: string;
  readonly subject: string;
  readonly attempt: string;
  readonly output: unknown;
}[] = [];
