/** What static analysis measures in one function. */
export interface ComplexityReading {
  readonly cyclomatic: number;
  /** Lines of the body, without blank lines and comments. */
  readonly lines: number;
  readonly nesting: number;
}
