import type { InitFinding } from "./finding.ts";
import { at, below, has, textOf, type InitTarget } from "./target.ts";

/** Without credentials.toml: gates run unreviewed code. */
const HOME = [".cargo/bin", ".cargo/registry", ".cargo/git", ".cargo/config.toml", ".rustup"];

export function detectRust(place: InitTarget): InitFinding | null {
  if (!has(place, "Cargo.toml")) return null;
  const manifest = at(place, "Cargo.toml");
  const locked = has(place, "Cargo.lock");
  const flags = ["--workspace", "--offline", ...(locked ? ["--locked"] : [])];
  const because = `${manifest} is a Cargo project; --offline because gates have no network${locked ? ", --locked because there is a Cargo.lock" : ""}`;
  const env = rustupEnv(place);
  return {
    steps: [
      { kind: "compile", cmd: ["cargo", "check", "--all-targets", ...flags], env, why: `${because}.` },
      { kind: "test", cmd: ["cargo", "test", ...flags], env, why: `${because}.` },
    ],
    commands: ["cargo"],
    home: HOME,
    notes: [
      ...(locked ? [] : [`${manifest} has no Cargo.lock: commit one, so that gates use the same crates everywhere.`]),
      ...untested(place, manifest),
    ],
  };
}

/** A gate's HOME is empty, so rustup and cargo need their folders as variables. */
function rustupEnv({ machine }: InitTarget): Record<string, string> {
  return {
    ...(machine.home(".rustup") ? { RUSTUP_HOME: "~/.rustup" } : {}),
    ...(machine.home(".cargo/registry") ? { CARGO_HOME: "~/.cargo" } : {}),
  };
}

function untested(place: InitTarget, manifest: string): string[] {
  const sources = below(place).filter((path) => path.endsWith(".rs"));
  if (sources.some((path) => /#\[(?:\w+::)*test\b/.test(textOf(place, path)))) return [];
  return [`${manifest} has no #[test] yet, so \`cargo test\` passes without testing anything.`];
}
