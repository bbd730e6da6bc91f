import type { Clock } from "@slipway/durable/environment";
import type { Layout } from "@slipway/kernel/host/layout";
import type { Objects } from "@slipway/kernel/record/objects/store";
import type { Redactor } from "@slipway/kernel/host/redaction/contract";
import { createRedactor } from "@slipway/kernel/host/redaction/redactor";
import { entryMaker, type CassetteWriter } from "./record.ts";
import type { Tracing } from "./telemetry/tracing.ts";
import { openArrival } from "./transcripts/arrival.ts";
import { watchedBy, type TranscriptHead, type Watch } from "./transcripts/line.ts";
import { openTranscript } from "./transcripts/write.ts";

export type InvocationFacts = Omit<TranscriptHead, "kind" | "version">;

/** Records of invocations: transcript, cassette, trace. */
export interface InvocationBook {
  begin(facts: InvocationFacts): Promise<InvocationPage>;
}

/** The records of one invocation. */
export interface InvocationPage {
  readonly watch: Watch;
  /** The invocation has an outcome. Returns the digest of its transcript. */
  keep(): Promise<string | null>;
  /** No outcome: it was stopped, or failed in a way that may pass. */
  leave(reason: string): void;
}

export interface BookOptions {
  readonly layout: Layout;
  readonly objects: Objects;
  readonly clock: Clock;
  /** Called per invocation: the secrets can depend on the run. */
  readonly redactor?: () => Redactor;
  readonly cassette?: CassetteWriter | undefined;
  readonly tracing?: Tracing | undefined;
  readonly onWarning?: (warning: string) => void;
}

export function openBook(options: BookOptions): InvocationBook {
  const { layout, objects, clock, cassette, tracing, onWarning = () => undefined } = options;
  const redactorNow = options.redactor ?? onlyPatterns;
  const arrival = openArrival(onWarning);

  return {
    async begin(facts) {
      const redactor = redactorNow();
      const transcript = await openTranscript(facts, { folder: layout.transcripts(facts.run), objects, redactor, clock });
      arrival.begin();
      const tape = cassette === undefined ? null : entryMaker(facts);
      const trace = tracing?.begin(facts) ?? null;
      const name = `${facts.role} for ${facts.subject}, attempt ${facts.attempt}`;
      return {
        watch: watchedBy(transcript.watch, arrival.watch, ...(tape === null ? [] : [tape.watch]), ...(trace === null ? [] : [trace.watch])),
        async keep() {
          trace?.end();
          if (tape !== null) {
            const entries = tape.entries();
            const safe = redactor.value(entries);
            if (JSON.stringify(safe) !== JSON.stringify(entries))
              onWarning(`the answer of the ${name} contains a secret; the cassette has [redacted] instead and will replay differently`);
            await cassette?.write(safe);
          }
          const saved = await transcript.keep();
          if (saved.digest === null) onWarning(`no transcript was written of the ${name}: ${saved.reason}`);
          else arrival.ended(name, saved.toDisk);
          return saved.digest;
        },
        leave(reason) {
          trace?.end(reason);
          transcript.leave(reason);
        },
      };
    },
  };
}

/** Without known secrets, redact what looks like a token or a private key. */
function onlyPatterns(): Redactor {
  return createRedactor({ secrets: [] });
}
