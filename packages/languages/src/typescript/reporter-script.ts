/** Runs inside the sandbox as Node's test reporter: one JSON line for every test that has ended. */
export const REPORTER_SCRIPT = `
const path = [];
export default async function* reporter(events) {
  for await (const { type, data } of events) {
    if (type === "test:start") path[data.nesting] = data.name;
    if (type !== "test:pass" && type !== "test:fail") continue;
    const { name, nesting, file, skip, todo, details } = data;
    const cause = details?.error?.cause ?? details?.error;
    const said = typeof cause === "object" && cause !== null ? cause : { message: String(cause) };
    yield JSON.stringify({
      name: [...path.slice(0, nesting), name].join(" > "),
      file: file ?? null,
      suite: details?.type === "suite",
      ran: skip === undefined && todo === undefined,
      passed: type === "test:pass",
      duration_ms: details?.duration_ms ?? 0,
      error: type === "test:pass" ? null : {
        name: String(said.name ?? "Error"),
        code: typeof said.code === "string" ? said.code : null,
        message: String(said.message ?? ""),
        stack: String(said.stack ?? ""),
      },
    }) + "\\n";
  }
}
`;
