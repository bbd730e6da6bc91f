#!/usr/bin/env node
// `criticality-rust-ast inject`: JSON {skeleton, fnName, body} on standard input, JSON {code} on standard output.
import { text } from "node:stream/consumers";

if (process.argv[2] !== "inject" || process.argv.length > 3) {
  process.stderr.write("Usage: criticality-rust-ast inject < request.json\n");
  process.exit(2);
}
const { runRustInject } = await import("@slipway/languages/rust/inject-program");
const { stdout, stderr, exitCode } = runRustInject(await text(process.stdin));
process.stdout.write(stdout);
process.stderr.write(stderr);
process.exitCode = exitCode;
