const UNBOUNDED = /^(?:[*+]|\{\d+,\})\??/;

/**
 * Whether a repeated group ends in a repetition of its own, as in `(a+)+`: the same text can then be split in exponentially many ways.
 * A group that ends in something else, as in `(\d+,)*`, is not reported.
 */
export function hasNestedQuantifiers(pattern: string): boolean {
  const starts: number[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") at++;
    else if (character === "[") at = classEnd(pattern, at);
    else if (character === "(") starts.push(at + 1);
    else if (character === ")") {
      const start = starts.pop();
      if (start !== undefined && UNBOUNDED.test(pattern.slice(at + 1)) && endsRepeated(pattern.slice(start, at))) return true;
    }
  }
  return false;
}

function classEnd(pattern: string, start: number): number {
  for (let at = start + 1; at < pattern.length; at++) {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "]") return at;
  }
  return pattern.length;
}

const OPTIONAL_END = /(?:\\.|\[[^\]]*\]|[^\\()[\]|])(?:\?|\*\??)$/;
const REPEATED_END = /(?:^|[^\\])(?:[*+]|\{\d+,\})\??$/;

function endsRepeated(group: string): boolean {
  const inside = group.replace(/^\?(?:[:=!]|<?[=!]|<\w+>)/, "");
  return inside.split("|").some((alternative) => {
    if (startsWithSeparator(alternative)) return false;
    let rest = alternative;
    while (!REPEATED_END.test(rest) && OPTIONAL_END.test(rest)) rest = rest.replace(OPTIONAL_END, "");
    return REPEATED_END.test(rest);
  });
}

/** A separator that what follows cannot match, as in `(-[a-z]+)*`, leaves one way to split a text. */
function startsWithSeparator(alternative: string): boolean {
  const [whole, separator] = /^\\?([-,;:/_@#&= ])(?![*+?{])/.exec(alternative) ?? [];
  if (whole === undefined || separator === undefined) return false;
  const rest = alternative.slice(whole.length);
  return !rest.replaceAll(/(\w)-(?=\w)/g, "$1").includes(separator) && !/\[\^|\\[SWD]|(?:^|[^\\])\./.test(rest);
}
