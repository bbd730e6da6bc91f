type Step =
  | { readonly create_table: string; readonly columns: Readonly<Record<string, string>> }
  | { readonly add_column: string; readonly to: string; readonly type: string };

export interface Migration {
  readonly id: number;
  readonly description: string;
  readonly steps: readonly Step[];
}

/** Tables, each with its columns and their types. */
export type Schema = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The schema after all migrations, which are numbered 1, 2, 3 and so on without a gap. */
export function schemaAfter(migrations: readonly Migration[]): Schema {
  return migrations.reduce((schema: Schema, { id, steps }, index) => {
    if (id !== index + 1) throw new RangeError(`migration ${index + 1} is missing, found ${id}`);
    return steps.reduce(applyStep, schema);
  }, {});
}

function applyStep(schema: Schema, step: Step): Schema {
  if ("create_table" in step) return { ...schema, [step.create_table]: step.columns };
  const table = schema[step.to];
  if (table === undefined) throw new RangeError(`there is no table ${step.to}`);
  return { ...schema, [step.to]: { ...table, [step.add_column]: step.type } };
}
