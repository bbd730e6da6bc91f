import type { SignatureShape } from "../routing/route.ts";

const OPENING = "<([{";
const CLOSING = ">)]}";

/** Counts what makes a signature hard, by its brackets and separators: the same for every target language. */
export function shapeOf(signature: string): SignatureShape {
  const parameters = between(signature, "(", ")");
  const generics = genericText(signature);
  return {
    genericParams: topLevelParts(generics).filter((part) => !part.startsWith("'")).length,
    lifetimeParams: topLevelParts(generics).filter((part) => part.startsWith("'")).length,
    unionMembers: [...withoutArrows(signature)].filter((character) => character === "|").length,
    nestedTypeDepth: Math.max(0, depthOf(withoutArrows(signature)) - 1),
    paramCount: topLevelParts(parameters).length,
  };
}

/** Type parameters stand between the name and the parameters. */
function genericText(signature: string): string {
  const head = signature.slice(0, Math.max(0, signature.indexOf("(")));
  return head.includes("<") ? between(head, "<", ">") : "";
}

/** The text between the first opening bracket and its closing one. */
function between(text: string, open: string, close: string): string {
  const start = text.indexOf(open);
  let depth = 0;
  for (let at = start; at >= 0 && at < text.length; at++) {
    if (text[at] === open) depth++;
    if (text[at] === close && --depth === 0) return text.slice(start + 1, at);
  }
  return "";
}

function topLevelParts(text: string): string[] {
  const parts: string[] = [];
  let [depth, part] = [0, ""];
  for (const character of withoutArrows(text)) {
    if (OPENING.includes(character)) depth++;
    if (CLOSING.includes(character)) depth--;
    if (character === "," && depth === 0) {
      parts.push(part.trim());
      part = "";
    } else part += character;
  }
  return [...parts, part.trim()].filter((one) => one !== "");
}

function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const character of text) {
    if (OPENING.includes(character)) deepest = Math.max(deepest, ++depth);
    if (CLOSING.includes(character)) depth--;
  }
  return deepest;
}

/** `=>` and `->` are no brackets. */
function withoutArrows(text: string): string {
  return text.replaceAll(/[-=]>/g, "  ");
}
