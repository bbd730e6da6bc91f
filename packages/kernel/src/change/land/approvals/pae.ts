/** DSSE's pre-authentication encoding: what is signed names its type, so that no signature can be taken for one of another kind. */
export function preAuthentication(payloadType: string, payload: Uint8Array): Uint8Array {
  const header = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(header), payload]);
}
