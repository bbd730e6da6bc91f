/** All forms of all secrets in one table, with one look-up per character for any number of secrets. */
export interface Automaton {
  readonly classOf: Uint16Array;
  readonly classes: number;
  /** next[state * classes + class] */
  readonly next: Int32Array;
  /** The number of characters of a form that the state has matched. */
  readonly depth: Int32Array;
  /** Length of the longest form that ends in this state; 0 for none. */
  readonly found: Int32Array;
  readonly longest: number;
}

/** All indexes into these tables are in range by construction. */
export function entry(table: Int32Array | Uint16Array | Float64Array, index: number): number {
  return table[index] as number;
}

/** Aho-Corasick with all transitions resolved. */
export function buildAutomaton(forms: readonly string[]): Automaton {
  const { classOf, classes } = classify(forms);
  const states = 1 + forms.reduce((sum, form) => sum + form.length, 0);
  const next = new Int32Array(states * classes);
  const depth = new Int32Array(states);
  const found = new Int32Array(states);
  let used = 1;

  for (const form of forms) {
    let state = 0;
    for (let index = 0; index < form.length; index++) {
      const edge = state * classes + entry(classOf, form.charCodeAt(index));
      if (next[edge] === 0) {
        depth[used] = index + 1;
        next[edge] = used++;
      }
      state = entry(next, edge);
    }
    found[state] = form.length;
  }
  resolveFailures(next, found, classes, used);
  return { classOf, classes, next, depth, found, longest: Math.max(0, ...forms.map((form) => form.length)) };
}

/** Class 0 contains all characters that occur in no form. */
function classify(forms: readonly string[]): { classOf: Uint16Array; classes: number } {
  const classOf = new Uint16Array(65_536);
  let classes = 1;
  for (const form of forms) {
    for (let index = 0; index < form.length; index++) {
      const code = form.charCodeAt(index);
      if (classOf[code] === 0) classOf[code] = classes++;
    }
  }
  return { classOf, classes };
}

function resolveFailures(next: Int32Array, found: Int32Array, classes: number, used: number): void {
  const failure = new Int32Array(used);
  const queue = new Int32Array(used);
  let end = 0;
  for (let edge = 0; edge < classes; edge++) if (next[edge] !== 0) queue[end++] = entry(next, edge);
  for (let begin = 0; begin < end; begin++) {
    const state = entry(queue, begin);
    const back = entry(failure, state);
    if (found[state] === 0) found[state] = entry(found, back);
    for (let edge = 0; edge < classes; edge++) {
      const target = entry(next, state * classes + edge);
      const fallback = entry(next, back * classes + edge);
      if (target === 0) next[state * classes + edge] = fallback;
      else {
        failure[target] = fallback;
        queue[end++] = target;
      }
    }
  }
}
