import type { Clock } from "@slipway/durable/environment";
import type { Layout } from "@slipway/kernel/host/layout";
import type { Objects } from "@slipway/kernel/record/objects/store";
import { createRedactor, type Redactor } from "@slipway/kernel/host/redaction/redactor";
import { entryMaker, type CassetteWriter } from "./record.ts";
import type { Tracing } from "./telemetry/tracing.ts";
import { openArrival } from "./transcripts/arrival.ts";
import { watchedBy, type TranscriptHead, type Watch } from "./transcripts/line.ts";
import { openTranscript } from "./transcripts/write.ts";

export type InvocationFacts = Omit<TranscriptHead, "kind" | "version">;

/** Everything that is written down about invocations: transcript, cassette, trace. */
export interface InvocationBook {
  begin(facts: InvocationFacts): Promise<Page>;
}

/** One invocation's. */
export interface Page {
  readonly watch: Watch;
  /** It has an outcome. Returns the digest of its transcript. */
  keep(): Promise<string | null>;
  /** It has none: it was stopped, or failed in a way that may pass. */
  leave(reason: string): void;
}

export interface BookOptions {
  readonly layout: Layout;
  readonly objects: Objects;
  readonly clock: Clock;
  /** Asked for each invocation: which secrets there are may depend on the run that is carried out. */
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
              onWarning(`the answer of the ${name} holds a secret; the cassette has [redacted] instead, and will not replay the same`);
            await cassette?.write(safe);
          }
          const kept = await transcript.keep();
          if (kept.digest === null) onWarning(`there is no transcript of the ${name}: ${kept.reason}`);
          else arrival.ended(name, kept.toDisk);
          return kept.digest;
        },
        leave(reason) {
          trace?.end(reason);
          transcript.leave(reason);
        },
      };
    },
  };
}

/** Where nobody knows any secret: what looks like a token or a private key is hidden all the same. */
function onlyPatterns(): Redactor {
  return createRedactor({ secrets: [] });
}
