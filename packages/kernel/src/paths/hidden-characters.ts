/** Characters that a reader does not see, or that change how the text around them looks. */
export interface HiddenCharacter {
  /** As in "U+202E". */
  readonly code: string;
  readonly effect: string;
}

const joins = ["Arabic", "Syriac", "Mongolian", "Nko", "Adlam", "Devanagari", "Bengali", "Gurmukhi", "Gujarati", "Oriya", "Tamil"]
  .concat(["Telugu", "Kannada", "Malayalam", "Sinhala", "Khmer", "Myanmar", "Tibetan"])
  .map((script) => String.raw`\p{sc=${script}}`)
  .join("");

/** Where such characters belong to what is written: they are seen as part of it. */
const WRITTEN = new RegExp(
  [
    // Flags of regions; emoji: joined, with a colour of skin, as a picture or as text; keycaps.
    String.raw`\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{3,6}\u{e007f}`,
    String.raw`\p{ExtPict}\p{EMod}?[\ufe0e\ufe0f]?(?:\u200d\p{ExtPict}\p{EMod}?\ufe0f?)*`,
    String.raw`[0-9#*]\ufe0f\u20e3`,
    // Scripts whose letters are joined or separated, or that are written without blanks.
    String.raw`(?<=[${joins}])[\u200c\u200d]`,
    String.raw`(?<=[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\p{sc=Tibetan}])\u200b`,
    // Variants of letters, and letters of Hangul without a first or a middle one.
    String.raw`(?<=\p{sc=Mongolian})[\u180b-\u180f]`,
    String.raw`(?<=\p{sc=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
    String.raw`\u115f(?=[\u1161-\u11a7])|(?<=[\u1100-\u115e])\u1160`,
  ].join("|"),
  "gv",
);

const RIGHT_TO_LEFT = /[\p{sc=Hebrew}\p{sc=Arabic}\p{sc=Syriac}\p{sc=Thaana}\p{sc=Nko}\p{sc=Adlam}]/v;
/** Each is legitimate beside letters of these scripts. */
const MARKS = /[\u200e\u200f\u061c]/g;

const KINDS: readonly (readonly [RegExp, effect: string])[] = [
  // oxlint-disable-next-line no-control-regex
  [/\u0000/v, "makes git show nothing of the whole file"],
  [/[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]/v, "reorders the text around it on the screen"],
  // Every other control character, but for tab, form feed and line ends, and a carriage return before a line end.
  // oxlint-disable-next-line no-control-regex
  [/[\u0001-\u0008\u000b\u000e-\u001f\u007f-\u009f]|\r(?!$)/v, "is carried out by a terminal"],
  [/[\u2028\u2029]/v, "ends a line for some programs, without being seen"],
  [/[\p{DI}\ufff9-\ufffb]/v, "is invisible"],
];

/** The first one in a line of text. */
export function hiddenCharacter(line: string): HiddenCharacter | null {
  // oxlint-disable-next-line no-control-regex
  if (/^[\t\f -~]*\r?$/.test(line)) return null;
  const seen = line.replaceAll(WRITTEN, "").replaceAll(MARKS, (mark) => (RIGHT_TO_LEFT.test(line) ? "" : mark));
  for (const [pattern, effect] of KINDS) {
    const found = pattern.exec(seen)?.[0];
    if (found !== undefined) return { code: codeOf(found), effect };
  }
  return null;
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
