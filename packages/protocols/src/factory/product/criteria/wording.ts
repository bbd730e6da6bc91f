import type { SpecFinding } from "../deficiency.ts";
import { isEmpty, textsIn, type Outline } from "../outline.ts";
import { gistOf, likeness, words } from "./words.ts";

const SHORTEST_DESCRIPTION = 20;
const NEAR_DUPLICATE = 0.8;

/** 11 */
export function descriptionsSayEnough({ spec, pillars, epics, stories, tasks }: Outline): SpecFinding[] {
  return [spec, ...pillars, ...epics, ...stories, ...tasks].flatMap(({ path, label, fields }) => {
    const text = fields["description"];
    if (typeof text !== "string" || isEmpty(text)) return [];
    const { length } = [...text.trim()];
    if (length >= SHORTEST_DESCRIPTION) return [];
    const message = `${label}: the description has ${length} characters; ${SHORTEST_DESCRIPTION} are the least that can say something.`;
    return [{ path: `${path}/description`, message }];
  });
}

/** 12 */
export function acceptanceIsObservable({ tasks }: Outline): SpecFinding[] {
  return tasks.flatMap((task) =>
    textsIn(task, "acceptance_criteria")
      .filter(({ text }) => !words(text).some((word) => OBSERVABLE.has(word)))
      .map(({ path, text }) => ({
        path,
        message: `${task.label}: "${text}" has no verb for what can be observed, such as returns, displays, raises, writes, emits, rejects.`,
      })),
  );
}

/** 13 */
export function subtasksAreDistinct({ tasks }: Outline): SpecFinding[] {
  return tasks.flatMap((task) => {
    const subtasks = textsIn(task, "subtasks").map(({ path, text }) => ({ path, text, gist: gistOf(text) }));
    return subtasks.flatMap(({ path, text, gist }, index) => {
      const twin = subtasks.slice(0, index).find((earlier) => likeness(earlier.gist, gist) >= NEAR_DUPLICATE);
      return twin === undefined ? [] : [{ path, message: `${task.label}: "${text}" says nearly the same as "${twin.text}".` }];
    });
  });
}

const REGULAR = `accept add allow alert answer appear append apply ask assign authenticate authorize block calculate call cancel change check clear
click close compute commit compile complete connect contain convert copy count create decode decrease delete deliver deny detect disable
disappear display download drop emit enable encode end enter equal escape execute exit expire expose fail fetch filter finish flag format
generate grant group handle highlight ignore include increase increment insert install invoke leave limit list load lock log match merge
navigate notify open order output parse pass patch persist post prevent print produce prompt publish push raise receive record redirect refuse
reject release remain remove rename render replace report request reset resolve respond restore resume result retain retry return reuse revert
round save scroll skip sort start stay stop store stream submit succeed sum switch terminate toggle trigger truncate unlock update upload
validate verify wait warn yield`;

const IRREGULAR = `begin begins began begun bind binds bound find finds found get gets got give gives gave given go goes went gone halt halts halted
hide hides hid hidden hold holds held keep keeps kept lose loses lost lead leads led make makes made match matches read reads rise rises rose
run runs ran running see sees saw seen send sends sent set sets show shows showed shown sink stands take takes took taken throw throws threw
thrown write writes wrote written dropped stopped skipped logged submitted flagged`;

const OBSERVABLE: ReadonlySet<string> = new Set([...REGULAR.split(/\s+/).flatMap(formsOf), ...IRREGULAR.split(/\s+/)]);

function formsOf(verb: string): string[] {
  if (/[^aeiou]y$/.test(verb)) return [verb, `${verb.slice(0, -1)}ies`, `${verb.slice(0, -1)}ied`, `${verb}ing`];
  if (verb.endsWith("e")) return [verb, `${verb}s`, `${verb}d`, `${verb.slice(0, -1)}ing`];
  const singular = /(?:s|x|z|ch|sh)$/.test(verb) ? `${verb}es` : `${verb}s`;
  return [verb, singular, `${verb}ed`, `${verb}ing`];
}
