/** DSSE's pre-authentication encoding: the signed bytes include their type, so that a signature of one type is not valid for another. */
export function preAuthentication(payloadType: string, payload: Uint8Array): Uint8Array {
  const header = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `;
  return Buffer.concat([Buffer.from(header), payload]);
}
