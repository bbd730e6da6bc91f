import type { Io } from "@slipway/protocols/surface/io";
import type { PersonPrompt } from "@slipway/protocols/surface/person-prompt";
import type { Surface } from "@slipway/protocols/surface/surface";
import { reasonFrom } from "@slipway/protocols/surface/unsandboxed";
import { agentChoice } from "./agent-choice.ts";

/** The command line as commands see it. Code that drives runs is imported by the first command that needs it. */
export function surfaceOf(io: Io): Surface {
  const ways: Omit<Surface, keyof Io> = {
    reader: async (work) => (await import("@slipway/runtime/reader")).withReader(io, work),
    async kernel(work) {
      const [{ withKernel }, { askTrustOf }] = await Promise.all([import("@slipway/runtime/kernel-at"), import("./trust/ask.ts")]);
      return withKernel(io, work, askTrustOf(io, false));
    },
    async run(args, begin) {
      const [{ withSession }, { driveRun }] = await Promise.all([import("./with-session.ts"), import("./drive-run.ts")]);
      const json = args.flag("json");
      return withSession({ io, json, agents: agentChoice(args), unsandboxedReason: reasonFrom(args) }, async (session, progress) => {
        const begun = await begin(session);
        if (typeof begun === "number") return begun;
        if (!json) io.out(`run ${begun.runId}${begun.note ?? ""}\n`);
        return driveRun({ session, runId: begun.runId, io, json, progress });
      });
    },
    async resume(args, runId) {
      const { resumeRun } = await import("./resume-run.ts");
      return resumeRun(args, io, async () => runId);
    },
    prompt: lazyPrompt,
  };
  // Copies the getters: some properties of `io`, such as the window's width, are computed on access.
  const all = { ...Object.getOwnPropertyDescriptors(io), ...Object.getOwnPropertyDescriptors(ways) };
  return Object.defineProperties({}, all) as Surface;
}

/** The library for prompts is loaded with the first question. */
const lazyPrompt: PersonPrompt = {
  choose: async (message, options, initial) => (await import("./terminal/person-prompt.ts")).chooseOption({ message, options, initial }),
  write: async (message) => (await import("./terminal/person-prompt.ts")).writeText(message),
};
