declare const RESULT: unique symbol;

/** A step name with the type of the step's result. A plain string is also a valid name. */
export type StepName<Result> = string & { readonly [RESULT]?: Result };
