/** The exact command that answers a question. */
export function answerCommand({ id, kind, feature }: { id: string; kind: string; feature: string | null }): string {
  if (kind === "approval" && feature !== null) return `slipway approve ${feature}`;
  return `slipway answer '${id}' …`;
}
