/** Runs in a side's own process: opens repositories and times calls, so that the sides do not affect each other. */
export type Request =
  | { readonly kind: "open"; readonly root: string; readonly options: Readonly<Record<string, unknown>> }
  | { readonly kind: "call"; readonly tool: string; readonly args: Readonly<Record<string, unknown>>; readonly times: number }
  | { readonly kind: "memory" };

export interface Timed {
  /** Milliseconds of every single call. */
  readonly ms: readonly number[];
  readonly data: unknown;
}

export type Reply = { readonly ok: true; readonly value: Timed } | { readonly ok: false; readonly message: string };

export interface OpenedRepository {
  /** Calls one tool under a unique id; throws if the tool refuses. */
  call(tool: string, args: Readonly<Record<string, unknown>>, id: string): Promise<unknown>;
  close(): Promise<void>;
}

export type OpenRepository = (root: string, options: Readonly<Record<string, unknown>>) => Promise<OpenedRepository>;

export function serve(open: OpenRepository): void {
  let opened: OpenedRepository | undefined;
  let turn = 0;
  const answer = async (request: Request): Promise<Timed> => {
    if (request.kind === "memory") return { ms: [], data: process.memoryUsage.rss() };
    if (request.kind === "open") {
      await opened?.close();
      opened = await open(request.root, request.options);
      return { ms: [], data: null };
    }
    if (opened === undefined) throw new Error("No repository is open.");
    const ms: number[] = [];
    let data: unknown;
    for (let time = 0; time < request.times; time++) {
      const started = performance.now();
      data = await opened.call(request.tool, request.args, `operation-${process.pid}-${turn++}`);
      ms.push(performance.now() - started);
    }
    return { ms, data };
  };
  process.on("message", (request: Request) => {
    answer(request).then(
      (value) => process.send?.({ ok: true, value } satisfies Reply),
      (error: unknown) =>
        process.send?.({ ok: false, message: error instanceof Error ? (error.stack ?? error.message) : String(error) } satisfies Reply),
    );
  });
}
