import { BlockList, isIPv4, isIPv6 } from "node:net";

const LOOPBACK = blockList([
  ["127.0.0.0", 8],
  ["::1", 128],
]);

/** Addresses inside a machine, a network or a data centre, metadata services among them, and those that are no single host. */
const NOT_PUBLIC = blockList([
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
  ["::", 128],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
]);

export type AddressKind = "public" | "loopback" | "private";

/** Of an IP address; anything that is not one counts as private. */
export function addressKind(address: string): AddressKind {
  const plain = address.replace(/%.*$/, "");
  const family = isIPv4(plain) ? "ipv4" : isIPv6(plain) ? "ipv6" : null;
  if (family === null) return "private";
  // An IPv4 address written as IPv6 (::ffff:10.0.0.1) matches the rules for IPv4.
  if (LOOPBACK.check(plain, family)) return "loopback";
  return NOT_PUBLIC.check(plain, family) || isCompatible(plain) ? "private" : "public";
}

/** The deprecated form ::a.b.c.d, which some systems still route to a.b.c.d. */
function isCompatible(address: string): boolean {
  return COMPATIBLE.check(address, isIPv4(address) ? "ipv4" : "ipv6");
}

const COMPATIBLE = blockList([["::", 96]]);

function blockList(ranges: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, isIPv4(network) ? "ipv4" : "ipv6");
  return list;
}
