/** host:port of an address, as the sandbox wants it. */
export function hostOf(baseUrl: string): string {
  const { hostname, port, protocol } = new URL(baseUrl);
  return `${hostname}:${port === "" ? (protocol === "http:" ? 80 : 443) : port}`;
}
