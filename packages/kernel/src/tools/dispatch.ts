import { SlipwayError } from "../schema/errors.ts";
import type { z } from "zod";
import { closest } from "../schema/hint.ts";
import type { Tool } from "../config/rbac.ts";
import { checkSchema, type SchemaViolation } from "../schema/violations.ts";
import { translateSystemError } from "../host/files/system-errors.ts";
import type { Kernel } from "../kernel.ts";
import { assertAgrees, assertGranted, type Credential } from "./credential.ts";
import { assertGiven, takenViolations } from "./document-checks.ts";
import type { DocumentSchemas } from "./documents.ts";
import { failureOf, type ToolEnvelope, type SuccessEnvelope } from "./envelope.ts";
import type { AnyTool, ToolAnswer, ProgressNote, ToolCall } from "./tool.ts";
import { unsafeKeyIn } from "./unsafe-key.ts";

/** A tool as it is served: its definition, and the schemas a caller was shown. Both have to be met. */
export interface ServedTool {
  readonly definition: AnyTool;
  /** What the dispatcher itself takes from the input. */
  readonly common: z.ZodObject;
  /** Of everything a call carries. */
  readonly input: z.ZodType;
  /** Of the whole response. */
  readonly output: z.ZodType;
}

export interface ServedTools {
  readonly byName: ReadonlyMap<string, ServedTool>;
  /** Of every failed response. */
  readonly failure: z.ZodType;
  readonly documents: DocumentSchemas;
}

export interface CallOptions {
  /** Made only for a tool that asks for it: most end before anybody could stop them. */
  readonly signal?: () => AbortSignal;
  readonly progress?: (note: ProgressNote) => void;
  /** Told of what must not reach the caller: the error itself, with the reference the caller got. */
  readonly onBug?: (error: unknown, reference: string) => void;
}

/** The one way to call a tool, for every surface. Never throws: whatever happens has a code. */
export async function callTool(
  kernel: Kernel,
  tools: ServedTools,
  credential: Credential,
  name: string,
  args: unknown,
  options: CallOptions = {},
): Promise<ToolEnvelope> {
  try {
    const tool = toolNamed(tools.byName, name);
    const { definition } = tool;
    const given = objectOf(name, args);
    assertAgrees(credential, definition.name, given);
    assertGranted(kernel.configuration.policy, credential, definition);
    const { own, call } = readInput(kernel, tool, tools.documents, given, credential, options);
    const answer = await definition.call(kernel, own as never, call);
    const same = givenBefore(definition, answer);
    if (same !== undefined) return same;
    const text = textOf(answer);
    const seen = seenAnswers(tool);
    const known = seen.get(text);
    if (known !== undefined) return keepFor(definition, answer, known);
    const envelope = checkedAnswer(tool, text);
    texts.set(envelope, text);
    await assertGiven(tools.documents, definition, envelope.data, kernel.records.database.db);
    // What only looks says mostly what it said last time, and that was checked.
    if (definition.kind === "read") remember(seen, text, envelope);
    return keepFor(definition, answer, envelope);
  } catch (thrown) {
    const error = translateSystemError(thrown);
    const failure = error instanceof SlipwayError && error.code !== "internal_error" ? failureOf(error) : null;
    if (failure !== null && checkSchema(tools.failure, failure).ok) return failure;
    const reference = kernel.records.ids.next("bug");
    options.onBug?.(thrown, reference);
    return failureOf(bug(name, reference));
  }
}

function toolNamed(tools: ServedTools["byName"], name: string): ServedTool {
  const found = tools.get(name);
  if (found !== undefined) return found;
  const meant = closest(name, tools.keys());
  const expected = `one of ${[...tools.keys()].join(", ")}`;
  throw invalid(`There is no tool ${JSON.stringify(name)}${meant === null ? "" : `; did you mean ${meant}?`}`, name, [
    { pointer: "/name", rule: "enum", expected, message: `unknown tool ${JSON.stringify(name)}` },
  ]);
}

function objectOf(name: string, args: unknown): Readonly<Record<string, unknown>> {
  if (typeof args === "object" && args !== null && !Array.isArray(args)) return args as Record<string, unknown>;
  const violation = { pointer: "", rule: "type", expected: "an object", message: "the arguments of a tool are an object" };
  throw invalid(`The arguments of ${name} are not an object.`, name, [violation]);
}

function readInput(
  kernel: Kernel,
  tool: ServedTool,
  documents: DocumentSchemas,
  given: Readonly<Record<string, unknown>>,
  credential: Credential,
  options: CallOptions,
): { readonly own: unknown; readonly call: ToolCall } {
  const unsafe = unsafeKeyIn(given);
  if (unsafe !== null) throw invalid(`The arguments of ${tool.definition.name} are not plain JSON.`, tool.definition.name, [unsafe]);
  const { own, common } = checkedBefore(tool, documents, given);
  const { actor_id, operation_id, expected_version } = common;
  return {
    own,
    call: {
      actor: { type: credential.role, id: String(actor_id) },
      // Apart from the ids of runs: no caller can take the id of a step that is still to come.
      operationId: operation_id === undefined ? kernel.records.ids.next("call") : `call:${String(operation_id)}`,
      ...(typeof expected_version === "number" && { expectedVersion: expected_version }),
      signal: options.signal ?? (() => new AbortController().signal),
      progress: options.progress ?? (() => undefined),
    },
  };
}

interface Checked {
  readonly own: unknown;
  readonly common: Readonly<Partial<Record<string, unknown>>>;
}

const checkedInputs = new WeakMap<ServedTool, Map<string, Checked>>();

/** Who looks asks mostly what they asked before: what was valid then is valid now. */
function checkedBefore(tool: ServedTool, documents: DocumentSchemas, given: Readonly<Record<string, unknown>>): Checked {
  if (tool.definition.kind !== "read") return checkedInput(tool, documents, given);
  const known = checkedInputs.get(tool) ?? new Map<string, Checked>();
  checkedInputs.set(tool, known);
  const text = JSON.stringify(given);
  const checked = known.get(text) ?? checkedInput(tool, documents, given);
  if (known.size >= MOST_ANSWERS) known.clear();
  known.set(text, checked);
  return checked;
}

function checkedInput(
  { definition, common: fields, input }: ServedTool,
  documents: DocumentSchemas,
  given: Readonly<Record<string, unknown>>,
): Checked {
  const common = checkSchema(fields, given);
  const rest: Record<string, unknown> = {};
  for (const field in given) if (!(field in fields.shape)) rest[field] = given[field];
  const own = checkSchema(definition.input as z.ZodType, rest);
  const whole = checkSchema(input, given);
  const taken = takenViolations(documents, definition.name, given);
  if (common.ok && own.ok && whole.ok && taken.length === 0) return { own: own.value, common: common.value as Checked["common"] };
  const violations = [...[common, own, whole].flatMap((checked) => (checked.ok ? [] : checked.violations)), ...taken];
  throw invalid(`The arguments of ${definition.name} are not valid.`, definition.name, unique(violations));
}

/** A field that several schemas refuse is told once, in the words of the first. */
function unique(violations: readonly SchemaViolation[]): SchemaViolation[] {
  const first = new Map<string, SchemaViolation>();
  for (const violation of violations) if (!first.has(violation.pointer)) first.set(violation.pointer, violation);
  return [...first.values()];
}

function textOf({ data, evidence }: ToolAnswer<unknown>): string {
  return JSON.stringify({ ok: true, data, ...(evidence !== undefined && { evidence }) } satisfies SuccessEnvelope);
}

/** What does not fit its schema is a defect of ours: the caller gets none of it. */
function checkedAnswer({ definition, output }: ServedTool, text: string): SuccessEnvelope {
  const plain = JSON.parse(text) as SuccessEnvelope;
  const whole = checkSchema(output, plain);
  if (!whole.ok) throw new Error(`${definition.name} gave an answer that is not of the form shown: ${JSON.stringify(whole.violations)}`);
  return plain;
}

const texts = new WeakMap<ToolEnvelope, string>();

/** The envelope as JSON; an answer was written out when it was made. */
export function envelopeText(envelope: ToolEnvelope): string {
  return texts.get(envelope) ?? JSON.stringify(envelope);
}

const MOST_ANSWERS = 32;
const LONGEST_ANSWER = 65_536;
const answers = new WeakMap<ServedTool, Map<string, SuccessEnvelope>>();

function seenAnswers(tool: ServedTool): Map<string, SuccessEnvelope> {
  const seen = answers.get(tool) ?? new Map<string, SuccessEnvelope>();
  answers.set(tool, seen);
  return seen;
}

const givenFor = new WeakMap<object, SuccessEnvelope>();

/** What a tool has given is never changed afterwards, so the very same thing has the same answer. */
function givenBefore(definition: AnyTool, answer: ToolAnswer<unknown>): SuccessEnvelope | undefined {
  const thing = thingRead(definition, answer);
  return thing === null ? undefined : givenFor.get(thing);
}

function keepFor(definition: AnyTool, answer: ToolAnswer<unknown>, envelope: SuccessEnvelope): SuccessEnvelope {
  const thing = thingRead(definition, answer);
  if (thing !== null) givenFor.set(thing, envelope);
  return envelope;
}

function thingRead({ kind }: AnyTool, { data, evidence }: ToolAnswer<unknown>): object | null {
  return kind === "read" && evidence === undefined && typeof data === "object" ? data : null;
}

function remember(seen: Map<string, SuccessEnvelope>, text: string, envelope: SuccessEnvelope): void {
  if (text.length > LONGEST_ANSWER) return;
  if (seen.size >= MOST_ANSWERS) seen.clear();
  seen.set(text, envelope);
}

function invalid(message: string, tool: Tool | string, violations: readonly SchemaViolation[]): SlipwayError {
  const listed = violations.map((violation) => `${violation.pointer || "/"}: ${violation.message}`).join("; ");
  // A path that leaves the repository, for example, has a code of its own.
  const code = violations.find((violation) => violation.code !== undefined)?.code ?? "schema_validation_failed";
  return new SlipwayError(code, `${message} ${listed}`, {
    tool,
    violations,
    suggested_next_actions: ["Correct every field listed in `violations` and call again."],
  });
}

function bug(tool: string, reference: string): SlipwayError {
  return new SlipwayError("internal_error", `Slipway failed while it carried out ${tool} (reference ${reference}).`, {
    tool,
    reference,
    suggested_next_actions: [`Find ${reference} in what the server wrote to standard error, and report it.`],
  });
}
