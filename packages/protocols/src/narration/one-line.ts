/** For output where a line is a record: text cannot begin one of its own. */
export function oneLine(text: string): string {
  return text.replaceAll(/[ \t\n\v\f\r\u0085\u2028\u2029]+/g, " ").trim();
}
