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

/** A tool as it is served: its definition, and the schemas shown to callers. Input and output must satisfy both. */
export interface ServedTool {
  readonly definition: AnyTool;
  /** Fields that the dispatcher itself reads from the input. */
  readonly common: z.ZodObject;
  /** Schema of all fields of a call. */
  readonly input: z.ZodType;
  /** Schema of the whole response. */
  readonly output: z.ZodType;
}

export interface ServedTools {
  readonly byName: ReadonlyMap<string, ServedTool>;
  /** Schema of every failed response. */
  readonly failure: z.ZodType;
  readonly documents: DocumentSchemas;
}

export interface CallOptions {
  /** Created only for a tool that needs it: most calls end before they could be aborted. */
  readonly signal?: () => AbortSignal;
  readonly progress?: (note: ProgressNote) => void;
  /** Called with an error that must not reach the caller, and with the reference that the caller got. */
  readonly onBug?: (error: unknown, reference: string) => void;
}

/** The only way to call a tool, for every surface. Never throws: every error becomes a failure with a code. */
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
    await definition.caller?.admit(kernel);
    const { own, call } = readInput(kernel, tool, tools.documents, given, credential, options);
    const answer = await definition.call(kernel, own as never, call);
    const same = earlierAnswer(definition, answer);
    if (same !== undefined) return same;
    const text = textOf(answer);
    const cache = answerCache(tool);
    const cached = cache.get(text);
    if (cached !== undefined) return keepAnswer(definition, answer, cached);
    const envelope = checkedAnswer(tool, text);
    texts.set(envelope, text);
    await assertGiven(tools.documents, definition, envelope.data, kernel.records.database.db);
    // Reads mostly return what they returned before, and that was already checked.
    if (definition.kind === "read") cacheAnswer(cache, text, envelope);
    return keepAnswer(definition, answer, envelope);
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
  const { own, common } = cachedInput(tool, documents, given);
  const { actor_id, operation_id, expected_version } = common;
  return {
    own,
    call: {
      actor: { type: credential.role, id: String(actor_id ?? credential.actorId ?? tool.definition.caller?.id) },
      // Prefixed, so that no caller can take the id of a future step of a run.
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

/** Reads mostly repeat earlier input, which was already checked. */
function cachedInput(tool: ServedTool, documents: DocumentSchemas, given: Readonly<Record<string, unknown>>): Checked {
  if (tool.definition.kind !== "read") return checkedInput(tool, documents, given);
  const cached = checkedInputs.get(tool) ?? new Map<string, Checked>();
  checkedInputs.set(tool, cached);
  const text = JSON.stringify(given);
  const checked = cached.get(text) ?? checkedInput(tool, documents, given);
  if (cached.size >= MOST_ANSWERS) cached.clear();
  cached.set(text, checked);
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

/** A field that several schemas refuse is reported once, with the first message. */
function unique(violations: readonly SchemaViolation[]): SchemaViolation[] {
  const first = new Map<string, SchemaViolation>();
  for (const violation of violations) if (!first.has(violation.pointer)) first.set(violation.pointer, violation);
  return [...first.values()];
}

function textOf({ data, evidence }: ToolAnswer<unknown>): string {
  return JSON.stringify({ ok: true, data, ...(evidence !== undefined && { evidence }) } satisfies SuccessEnvelope);
}

/** An answer that does not match its schema is a bug of Slipway: none of it reaches the caller. */
function checkedAnswer({ definition, output }: ServedTool, text: string): SuccessEnvelope {
  const plain = JSON.parse(text) as SuccessEnvelope;
  const whole = checkSchema(output, plain);
  if (!whole.ok)
    throw new Error(`${definition.name} returned an answer that does not match the published schema: ${JSON.stringify(whole.violations)}`);
  return plain;
}

const texts = new WeakMap<ToolEnvelope, string>();

/** The envelope as JSON; answers are serialised when they are checked. */
export function envelopeText(envelope: ToolEnvelope): string {
  return texts.get(envelope) ?? JSON.stringify(envelope);
}

const MOST_ANSWERS = 32;
const LONGEST_ANSWER = 65_536;
const answers = new WeakMap<ServedTool, Map<string, SuccessEnvelope>>();

function answerCache(tool: ServedTool): Map<string, SuccessEnvelope> {
  const cache = answers.get(tool) ?? new Map<string, SuccessEnvelope>();
  answers.set(tool, cache);
  return cache;
}

const answersByData = new WeakMap<object, SuccessEnvelope>();

/** Read tools return immutable objects, so the same object has the same answer. */
function earlierAnswer(definition: AnyTool, answer: ToolAnswer<unknown>): SuccessEnvelope | undefined {
  const readValue = readData(definition, answer);
  return readValue === null ? undefined : answersByData.get(readValue);
}

function keepAnswer(definition: AnyTool, answer: ToolAnswer<unknown>, envelope: SuccessEnvelope): SuccessEnvelope {
  const readValue = readData(definition, answer);
  if (readValue !== null) answersByData.set(readValue, envelope);
  return envelope;
}

function readData({ kind }: AnyTool, { data, evidence }: ToolAnswer<unknown>): object | null {
  return kind === "read" && evidence === undefined && typeof data === "object" ? data : null;
}

function cacheAnswer(cache: Map<string, SuccessEnvelope>, text: string, envelope: SuccessEnvelope): void {
  if (text.length > LONGEST_ANSWER) return;
  if (cache.size >= MOST_ANSWERS) cache.clear();
  cache.set(text, envelope);
}

function invalid(message: string, tool: Tool | string, violations: readonly SchemaViolation[]): SlipwayError {
  const listed = violations.map((violation) => `${violation.pointer || "/"}: ${violation.message}`).join("; ");
  // A path outside the repository, for example, has its own code.
  const code = violations.find((violation) => violation.code !== undefined)?.code ?? "schema_validation_failed";
  return new SlipwayError(code, `${message} ${listed}`, {
    tool,
    violations,
    suggested_next_actions: ["Correct every field listed in `violations` and call again."],
  });
}

function bug(tool: string, reference: string): SlipwayError {
  return new SlipwayError("internal_error", `Slipway failed in ${tool} (reference ${reference}).`, {
    tool,
    reference,
    suggested_next_actions: [`Find ${reference} in the server's standard error, and report it.`],
  });
}
