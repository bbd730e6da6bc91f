export class BadSpanError extends Error {
  override name = "BadSpanError";
}

interface Span {
  day: number;
  from: number;
  to: number;
}

export function joinSpans(spans: readonly Span[]): Span[] {
  const wrong = spans.find(({ from, to }) => !(from < to));
  if (wrong !== undefined) throw new BadSpanError(`A span from ${wrong.from} to ${wrong.to} does not end after it begins`);
  const joined: Span[] = [];
  for (const span of spans.toSorted((left, right) => left.day - right.day || left.from - right.from)) {
    const last = joined.at(-1);
    if (last !== undefined && last.day === span.day && span.from <= last.to) last.to = Math.max(last.to, span.to);
    else joined.push({ ...span });
  }
  return joined;
}
