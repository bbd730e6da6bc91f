/** A smell that an analyser has found. The catalog says what each id means and which patterns apply to it. */
export interface DetectedSmell {
  readonly id: string;
  readonly function: string;
  readonly line: number;
  /** The measured value where the smell has a threshold, such as a nesting depth. */
  readonly measured: number | null;
  readonly detail: string;
}
