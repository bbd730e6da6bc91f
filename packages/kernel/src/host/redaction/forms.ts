const SHORTEST_FORM = 8;
/** For a longer secret the rarer encodings would cost too much memory. */
const LONGEST_WITH_ALL_FORMS = 512;
const SHORTEST_LINE = 16;

/** A secret and its encodings: base64 at any offset, hex, URL, JSON and XML escapes, and its single lines. */
export function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret, "utf8");
  const everywhere = [secret, JSON.stringify(secret).slice(1, -1), escapeXml(secret), ...longLines(secret), ...base64Forms(bytes)];
  const short = secret.length <= LONGEST_WITH_ALL_FORMS ? [...hexForms(bytes), ...urlForms(secret, bytes)] : [];
  // Line ends are skipped while matching, so that wrapped output is found as well.
  const forms = [...everywhere, ...short].map((form) => form.replaceAll(/[\r\n]/g, ""));
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST_FORM);
}

function longLines(secret: string): string[] {
  return secret.split(/\r?\n/).filter((line) => line.length >= SHORTEST_LINE);
}

/** Within a larger text a secret starts at one of three base64 offsets; only characters that depend on it alone are matched. */
function base64Forms(bytes: Buffer): string[] {
  const cores = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    const undecided = [0, 2, 3][offset];
    return encoded.slice(undecided, Math.floor(((offset + bytes.length) * 8) / 6));
  });
  const whole = bytes.toString("base64");
  return [whole, whole.replaceAll("=", ""), ...cores].flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]);
}

function hexForms(bytes: Buffer): string[] {
  const hex = bytes.toString("hex");
  return [hex, hex.toUpperCase()];
}

function urlForms(secret: string, bytes: Buffer): string[] {
  const encoded = [...bytes].map((byte) => (isUnreserved(byte) ? String.fromCharCode(byte) : percent(byte))).join("");
  const everyByte = [...bytes].map(percent).join("");
  return [encoded, encoded.replaceAll("%20", "+"), encodeLoosely(secret), everyByte].flatMap((form) => [form, lowerEscapes(form)]);
}

function isUnreserved(byte: number): boolean {
  return /[A-Za-z0-9\-._~]/.test(String.fromCharCode(byte));
}

function percent(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

/** encodeURIComponent does not encode !'()* and throws on a lone surrogate. */
function encodeLoosely(secret: string): string {
  return encodeURIComponent(secret.toWellFormed());
}

function lowerEscapes(text: string): string {
  return text.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
