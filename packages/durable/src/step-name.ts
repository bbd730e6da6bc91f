declare const RESULT: unique symbol;

/** A step's name that says what the step records. Any other text names a step, too. */
export type StepName<Result> = string & { readonly [RESULT]?: Result };
