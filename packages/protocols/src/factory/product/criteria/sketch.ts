import type { SpecFinding } from "../deficiency.ts";
import { fieldsOf, isEmpty, type Outline } from "../outline.ts";
import { SKETCH_FIELDS } from "../spec.ts";
import { words } from "./words.ts";

/** Placeholders anywhere in a text. */
const MARKERS = /\b(?:TBD|TBA|TBC|FIXME|XXX)\b/;
/** Placeholders if they are a whole clause: "TODO: decide" is one, "the TODO's title" is not. */
const AS_A_CLAUSE = new Set(
  "tbd|tba|tbc|todo|to do|fixme|xxx|n/a|n.a|not applicable|to be defined|to be decided|to be determined|to be done".split("|"),
);
/** Placeholders if they are the whole text. */
const ALONE = new Set("na|none|nil|null|undefined|unknown|later|same|ditto|placeholder|lorem ipsum".split("|"));
const CLAUSE_ENDS = /[;:,()[\]{}<>\n!?]+|\.(?=\s|$)|\s[-–—]+\s|^[-–—\s]+/;

/** 6 */
export function sketchesAreComplete({ tasks }: Outline): SpecFinding[] {
  return tasks.flatMap(({ path, label, fields }) => {
    const sketch = fieldsOf(fields["io_contract_sketch"]);
    return SKETCH_FIELDS.flatMap((name) => {
      const value = sketch[name];
      const problem = isEmpty(value) ? "is empty" : isPlaceholder(value) ? "holds a placeholder" : null;
      if (problem === null) return [];
      const message = `${label}: io_contract_sketch.${name} ${problem}; say what holds, in a sentence, also where it is that nothing happens.`;
      return [{ path: `${path}/io_contract_sketch/${name}`, message }];
    });
  });
}

function isPlaceholder(value: unknown): boolean {
  if (typeof value !== "string") return false;
  if (MARKERS.test(value) || !/[\p{L}\p{N}]/u.test(value)) return true;
  return ALONE.has(bare(value)) || value.split(CLAUSE_ENDS).some((clause) => AS_A_CLAUSE.has(bare(clause)));
}

function bare(text: string): string {
  return text
    .trim()
    .replaceAll(/^["'`*_]+|["'`*_.]+$/g, "")
    .toLowerCase();
}

/** Words that do not name a specific error. */
const SAYS_NOTHING = new Set(
  `error errors exception exceptions failure failures problem problems issue issues fault faults fail fails failed occur occurs
happen happens arise arises throw throws thrown raise raises raised return returns returned report reports reported handle handles
handled handling propagate propagated caught logged surface surfaced surfaces may might can could will would should must possible
possibly potential potentially various several some any all other different certain many standard usual common typical generic
general normal unexpected appropriate appropriately properly gracefully correctly accordingly something things thing goes go wrong
etc case cases condition conditions kind kinds type types the a an of in on to by with and or if when is are be been there it this
that as for from at not needed necessary required sometimes`.split(/\s+/),
);

/** 14 */
export function errorSurfacesAreSpecific({ tasks }: Outline): SpecFinding[] {
  return tasks.flatMap(({ path, label, fields }) => {
    const surfaces = fieldsOf(fields["io_contract_sketch"])["error_surfaces"];
    if (typeof surfaces !== "string" || isEmpty(surfaces) || words(surfaces).some((word) => !SAYS_NOTHING.has(word))) return [];
    const message = `${label}: error_surfaces names no specific error condition; say what goes wrong, and when.`;
    return [{ path: `${path}/io_contract_sketch/error_surfaces`, message }];
  });
}
