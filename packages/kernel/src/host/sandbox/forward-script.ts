/** The path inside the sandbox of the gateway's socket and the scripts that use it. */
export const GATEWAY_AT = "/run/slipway-gateway";
export const GATEWAY_SOCKET = "gateway.sock";
export const FORWARD_SCRIPT_AT = "/run/slipway-forward.cjs";

/** A port inside the sandbox that leads to the gateway. */
export interface ForwardedPort {
  readonly host: string;
  readonly port: number;
  /** The host that the port connects to directly; null for the HTTP proxy. */
  readonly target: string | null;
}

/**
 * Runs inside with Slipway's Node. It enforces nothing: the gateway decides which hosts may be reached, on the other
 * side of the socket. Its arguments are the ports as JSON, and either descriptors of listening sockets or
 * the command to start once it listens itself; then it exits with the command's code.
 */
export const FORWARD_SCRIPT = `
const net = require("node:net");
const [ports, descriptors, variables, command] = process.argv.slice(2).map((part) => JSON.parse(part));
const gateway = { path: "${GATEWAY_AT}/${GATEWAY_SOCKET}", allowHalfOpen: true };
const ignore = () => undefined;
const join = (left, right) => {
  left.on("error", () => right.destroy()).on("close", () => right.destroy());
  right.on("error", () => left.destroy()).on("close", () => left.destroy());
  left.pipe(right).pipe(left);
};
const proxied = (client) => join(client, net.connect(gateway));
const through = (target) => (client) => {
  const upstream = net.connect(gateway);
  client.on("error", ignore);
  upstream.on("error", () => client.destroy());
  upstream.write("CONNECT " + target + " HTTP/1.1\\r\\nHost: " + target + "\\r\\n\\r\\n");
  let head = Buffer.alloc(0);
  upstream.on("data", function read(chunk) {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\\r\\n\\r\\n");
    if (end < 0) return;
    upstream.off("data", read).pause();
    if (!head.toString("latin1", 0, 12).endsWith(" 200")) return client.destroy();
    if (head.length > end + 4) upstream.unshift(head.subarray(end + 4));
    join(client, upstream);
  });
};
const listening = ports.map(({ host, port, target }, index) => new Promise((resolve) => {
  const server = net.createServer({ allowHalfOpen: true }, target === null ? proxied : through(target));
  const place = descriptors === null ? { host, port } : { fd: descriptors[index] };
  if (place.fd === null) return resolve();
  server.on("error", resolve).listen(place, resolve);
}));
if (command !== null) Promise.all(listening).then(() => {
  // The command gets the same signals; the forwarder must live as long as the command.
  for (const name of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(name, ignore);
  const child = require("node:child_process").spawn(command[0], command.slice(1), { stdio: "inherit", env: { ...process.env, ...variables } });
  child.on("error", (error) => { console.error(error.message); process.exit(127); });
  child.on("exit", (code, signal) => process.exit(code ?? 128 + require("node:os").constants.signals[signal]));
});
`;

/**
 * A faster start of the same: Perl listens within a few milliseconds and starts the command at once; connections wait until Node
 * has started and takes over the sockets. Arguments: Node, its script, the ports; the number of ports, and host and port of
 * each (127.0.0.1 or ::1); the number of variables, and each of them; the command. Linux's constants (families 2 and 10,
 * stream 1, SOL_SOCKET 1, SO_REUSEADDR 2) are literals, because loading Perl's module for them takes 8 ms.
 */
export const EARLY_LISTENER = String.raw`
$^F = 1000;
my ($node, $script, $plan) = splice(@ARGV, 0, 3);
my @listening;
for (1 .. shift @ARGV) {
  my ($host, $port) = splice(@ARGV, 0, 2);
  my $six = $host =~ /:/;
  push @listening, undef;
  socket(my $socket, $six ? 10 : 2, 1, 0) or next;
  setsockopt($socket, 1, 2, pack("l", 1));
  bind($socket, $six ? pack("S n N x15 C N", 10, $port, 0, 1, 0) : pack("S n C4 x8", 2, $port, 127, 0, 0, 1)) or next;
  listen($socket, 128) or next;
  $listening[-1] = $socket;
}
my %variables = map { split(/=/, $_, 2) } splice(@ARGV, 0, shift @ARGV);
my $descriptors = "[" . join(",", map { defined($_) ? fileno($_) : "null" } @listening) . "]";
defined(my $forwarder = fork()) or die "fork: $!";
if ($forwarder == 0) {
  open(STDIN, "<", "/dev/null"); open(STDOUT, ">", "/dev/null");
  exec($node, $script, $plan, $descriptors, "{}", "null");
}
defined(my $command = fork()) or die "fork: $!";
if ($command == 0) {
  close($_) for grep { defined } @listening;
  @ENV{keys %variables} = values %variables;
  exec({ $ARGV[0] } @ARGV) or do { print STDERR "$ARGV[0]: $!\n"; exit 127 };
}
close($_) for grep { defined } @listening;
$SIG{$_} = "IGNORE" for qw(TERM INT HUP);
waitpid($command, 0);
exit(($? & 127) ? 128 + ($? & 127) : $? >> 8);
`;
