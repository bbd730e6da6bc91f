/** The structurer's and the auditor's answers about the claims of each cluster. */
export const CLAIMS: readonly { readonly role: string; readonly subject: string; readonly attempt: string; readonly output: unknown }[] =
  [];
