export const POINTED_FILES = ["design-output.yaml", "spec-output.yaml"] as const;
export type PointedFile = (typeof POINTED_FILES)[number];

/** One entry of a list of a payload: `design-output.yaml#payload.decisions[id='D-8']`. */
export interface Pointer {
  readonly file: PointedFile;
  readonly list: string;
  readonly key: "id" | "name";
  readonly value: string;
}

export type ParsedPointer = { readonly ok: true; readonly pointer: Pointer } | { readonly ok: false; readonly problem: string };

const FORM = /^(?<file>[a-z-]+\.yaml)#payload\.(?<list>[a-z][a-z_]*)\[(?<key>id|name)=(?<quote>['"])(?<value>[^'"[\]]+)\k<quote>\]$/;

export function parsePointer(text: string): ParsedPointer {
  const { file = "", list = "", key, value = "" } = FORM.exec(text)?.groups ?? {};
  const known = POINTED_FILES.find((name) => name === file);
  if (known !== undefined && (key === "id" || key === "name")) return { ok: true, pointer: { file: known, list, key, value } };
  const form = `design-output.yaml#payload.decisions[id='D-8'] or spec-output.yaml#payload.requirements[id='FR-4']`;
  return { ok: false, problem: `${JSON.stringify(text)} is no pointer of the form ${form}` };
}
