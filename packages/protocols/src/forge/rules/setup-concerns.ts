import type { FindingSeverity } from "../schemas/enums.ts";
import { PUSHBACK_OPTIONS, type PushbackOption } from "../schemas/spec.ts";

export type ConcernKind = "scope" | "conflict" | "vagueness";

export interface SetupConcern {
  readonly rule: string;
  readonly kind: ConcernKind;
  readonly severity: FindingSeverity;
  readonly question: string;
  readonly options: readonly PushbackOption[];
}

interface Rule {
  readonly rule: string;
  readonly kind: ConcernKind;
  readonly severity: FindingSeverity;
  readonly question: string;
  readonly holds: (request: string) => boolean;
}

const MANY_ITEMS = 8;
const FEW_WORDS = 5;

const words = (request: string) => request.split(/\s+/).filter((word) => /\p{L}/u.test(word));
const items = (request: string) => request.split("\n").filter((line) => /^\s*(?:[-*+]|\d+[.)])\s+\S/.test(line));
const both = (one: RegExp, other: RegExp) => (request: string) => one.test(request) && other.test(request);
const matches = (pattern: RegExp) => (request: string) => pattern.test(request);
/** Something to measure or to find: a number, a path, a name in code. */
const isConcrete = matches(/\d|`[^`]+`|\b[\w-]+\.[a-z]{1,5}\b|\b\w+\/\w+|\b[a-z]+[A-Z]\w*|\b\w+_\w+/);

/** Nothing here stops a run: a person decides, or the concern is logged. */
const RULES: readonly Rule[] = [
  {
    rule: "empty",
    kind: "vagueness",
    severity: "Blocker",
    question: "The request has no words. What should be built?",
    holds: (request) => words(request).length === 0,
  },
  {
    rule: "whole-system",
    kind: "scope",
    severity: "Critical",
    question: "The request concerns a whole system at once. Should it be done in one run?",
    holds: both(
      /\b(?:rewrite|reimplement|redesign|replace|migrate|refactor|port)\b/i,
      /\b(?:everything|(?:the )?(?:entire|whole|complete) (?:\w+ )?(?:app|application|system|code ?base|project|repository|product|backend|frontend)|all (?:of )?the code)\b/i,
    ),
  },
  {
    rule: "many-parts",
    kind: "scope",
    severity: "Major",
    question: `The request lists ${MANY_ITEMS} or more parts. Should they all be done in one run?`,
    holds: (request) => items(request).length >= MANY_ITEMS,
  },
  {
    rule: "dependencies",
    kind: "conflict",
    severity: "Major",
    question: "The request forbids new dependencies and asks for one. Which holds?",
    holds: both(
      /\b(?:no|without(?: any)?|zero) (?:new |additional |extra )?(?:dependenc(?:y|ies)|packages?|librar(?:y|ies))\b/i,
      /\b(?:install|add|introduce|use) (?:the |an? )?(?:[\w@/.-]+ )?(?:package|library|dependency|framework|sdk)\b/i,
    ),
  },
  {
    rule: "compatibility",
    kind: "conflict",
    severity: "Critical",
    question: "The request wants compatibility kept and something public removed or renamed. Which holds?",
    holds: both(
      /\b(?:backwards?[- ]compatib\w+|without breaking|no breaking changes?|keep the (?:api|interface)|do not change the (?:public )?api)\b/i,
      /\b(?:remove|drop|rename|delete|change) (?:\S+ ){0,4}(?:api|apis|endpoints?|parameters?|interfaces?|exports?)\b/i,
    ),
  },
  {
    rule: "tests",
    kind: "conflict",
    severity: "Major",
    question: "The request forbids tests and asks for them. Which holds?",
    holds: both(/\b(?:no|without(?: any)?|skip(?: the)?) tests?\b/i, /\b(?:add|write|with|increase) (?:\w+ ){0,2}(?:tests?|coverage)\b/i),
  },
  {
    rule: "short",
    kind: "vagueness",
    severity: "Major",
    question: "The request has only a few words. What exactly should change?",
    holds: (request) => words(request).length > 0 && words(request).length < FEW_WORDS && !isConcrete(request),
  },
  {
    rule: "no-measure",
    kind: "vagueness",
    severity: "Major",
    question: "The request asks for an improvement and names no measure or place. How will one see that it is done?",
    holds: (request) =>
      /\b(?:better|faster|nicer|cleaner|improve|optimi[sz]e|enhance|modern(?:ize|ise)?|user[- ]friendly|clean up|more robust)\b/i.test(
        request,
      ) && !isConcrete(request),
  },
  {
    rule: "placeholder",
    kind: "vagueness",
    severity: "Minor",
    question: "The request leaves a part open. What belongs there?",
    holds: matches(/\bTBD\b|\bTODO\b|\?\?\?|\b(?:etc\b|and so on|or something|somehow|whatever)/i),
  },
];

/** The concerns that a request raises before anyone is dispatched, in the order of the rules. */
export function setupConcerns(request: string): SetupConcern[] {
  return RULES.filter(({ holds }) => holds(request)).map(({ rule, kind, severity, question }) => {
    return { rule, kind, severity, question, options: PUSHBACK_OPTIONS };
  });
}
