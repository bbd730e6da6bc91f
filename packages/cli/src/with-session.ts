import type { Io } from "@slipway/protocols/surface/io";
import { openProgress, styleFor, type ProgressDisplay } from "./render/progress.ts";
import { askTrustOf } from "./trust/ask.ts";
import { openSession, type Session, type SessionOptions } from "@slipway/runtime/session";

interface Shown extends Pick<SessionOptions, "agents" | "unsandboxedReason"> {
  readonly io: Io;
  readonly json: boolean;
}

/** Opens a session, shows its progress, and always closes it. */
export async function withSession<T>(
  { io, json, agents, unsandboxedReason }: Shown,
  work: (session: Session, progress: ProgressDisplay) => Promise<T>,
): Promise<T> {
  const progress = await openProgress(io, styleFor(io, json));
  const { event: observe, started: onStepStart, warn: onWarning } = progress;
  const session = await openSession({
    io,
    agents,
    unsandboxedReason,
    askTrust: askTrustOf(io, json),
    observe,
    onStepStart,
    onWarning,
  });
  try {
    return await work(session, progress);
  } finally {
    progress.stop();
    await session.close();
  }
}
