/** The readable parts of a draft: missing and mistyped parts are left out, so that rules need not check the shape. */
export interface Outline {
  readonly spec: OutlineNode;
  readonly pillars: readonly OutlineNode[];
  readonly epics: readonly OutlineNode[];
  readonly stories: readonly OutlineNode[];
  readonly tasks: readonly OutlineNode[];
}

export interface OutlineNode {
  /** JSON pointer to it. */
  readonly path: string;
  /** Its name in messages: the id if it has one. */
  readonly label: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export function outlineOf(draft: unknown): Outline {
  const spec = nodeAt("", draft, "spec_id", "the spec");
  const pillars = childrenOf([spec], "pillars", "pillar_id");
  const epics = childrenOf(pillars, "epics", "epic_id");
  const stories = childrenOf(epics, "stories", "story_id");
  return { spec, pillars, epics, stories, tasks: childrenOf(stories, "tasks", "task_id") };
}

function childrenOf(parents: readonly OutlineNode[], list: string, id: string): OutlineNode[] {
  return parents.flatMap((parent) =>
    listIn(parent, list).map((value, index) => {
      const path = `${parent.path}/${list}/${index}`;
      return nodeAt(path, value, id, path);
    }),
  );
}

function nodeAt(path: string, value: unknown, id: string, otherwise: string): OutlineNode {
  const fields = fieldsOf(value);
  const name = fields[id];
  return { path, fields, label: typeof name === "string" && !isEmpty(name) ? name : otherwise };
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

export function listIn({ fields }: OutlineNode, name: string): readonly unknown[] {
  const value = fields[name];
  return Array.isArray(value) ? value : [];
}

/** The non-empty texts of a list, with their paths. */
export function textsIn(node: OutlineNode, name: string): { readonly path: string; readonly text: string }[] {
  return listIn(node, name).flatMap((value, index) =>
    typeof value === "string" && !isEmpty(value) ? [{ path: `${node.path}/${name}/${index}`, text: value }] : [],
  );
}

export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value === "string") return value.trim() === "";
  return typeof value === "object" && Object.keys(value).length === 0;
}
