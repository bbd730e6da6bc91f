import type { Line } from "../narration/line.ts";

type Value = Readonly<Record<string, unknown>>;
type Narrated = Omit<Line, "feature"> | null;

const ROUTES: Readonly<Record<string, Omit<Line, "feature">>> = {
  revise: { text: "objections stand: revised", good: null },
  adjudicate: { text: "sent to the Arbiter", good: null },
  amend: { text: "approved with amendments", good: null },
  ship: { text: "approved", good: true },
  halt: { text: "no agreement: a person has to decide", good: false },
};

/** The result of a step of a task: its plan, and debate and shipping of each module. */
export function narrateTask(name: string, value: unknown): Line | null {
  const [, module = "", step = ""] = /^(MM-\w+)\/(.+)$/.exec(name) ?? [];
  if (module !== "") return lineOf(module, ofModule(step, value));
  if (name.startsWith("check:plan:")) return lineOf("plan", ofPlan(value));
  if (name === "supersede" && isRecord(value)) return superseded(value);
  const agreed = /^(ICE-\w+):finalize$/.exec(name)?.[1];
  if (agreed !== undefined) return { feature: agreed, text: "changed contract agreed; building it", good: true };
  return null;
}

/** The result of a tool of the product owner. */
export function narrateProduct(name: string, value: unknown): Line | null {
  if (!name.startsWith("tool:") || !isRecord(value) || !isRecord(value["output"])) return null;
  const { output } = value;
  if (value["ok"] === true && typeof output["spec_digest"] === "string") {
    return { feature: "product", text: "spec emitted; it meets all 14 criteria", good: true };
  }
  const errors = listIn(output, "errors");
  const [first] = errors;
  if (first === undefined) return null;
  const count = errors.length === 1 ? "1 fault" : `${errors.length} faults`;
  return { feature: "product", text: `the draft has ${count}, such as ${String(first["message"])}`, good: null };
}

function ofModule(step: string, value: unknown): Narrated {
  const [, round, next = ""] = /^route:(\d+):(\w+)$/.exec(step) ?? [];
  const route = ROUTES[next];
  if (route !== undefined) return { ...route, text: `round ${round}: ${route.text}` };
  if (/^ship(?:-amended)?:\d+:register$/.test(step)) return { text: "tested, sealed and indexed", good: true };
  if (/^inspect:\d+$/.test(step)) return inspected(value);
  if (/^challenge:\d+:witnesses$/.test(step)) return witnessed(value);
  if (/^amended:\d+$/.test(step)) return amended(value);
  if (step.endsWith(":exception")) return raised(value);
  if (step === "reuse" && isRecord(value)) {
    return { text: `reused from the code index: ${String(value["module_id"])}@${String(value["version"])}`, good: true };
  }
  return null;
}

function ofPlan(value: unknown): Narrated {
  if (!isRecord(value)) return null;
  if (value["ok"] !== true) return { text: `refused: ${String(listIn(value, "problems")[0]?.["message"])}`, good: false };
  const modules = listIn(isRecord(value["draft"]) ? value["draft"] : {}, "modules");
  const alike = isRecord(value["alike"]) ? value["alike"] : {};
  const named = modules.map(({ module_id, reuse_decision }) => {
    const like = listIn(alike, String(module_id)).map(({ module_ref }) => String(module_ref));
    const flagged = like.length === 0 ? "new" : `new, similar to ${like.join(", ")}: reason in the plan`;
    return `${String(module_id)} (${reuse_decision === "REUSE" ? "reused" : flagged})`;
  });
  return { text: named.join(", "), good: null };
}

/** The inspection by the harness, before the challenge. */
function inspected(value: unknown): Narrated {
  if (!isRecord(value)) return null;
  const tests = listIn(value, "summary");
  const passed = tests.filter(({ result }) => result === "PASS").length;
  const [finding] = listIn(value, "findings");
  const ran = `${passed} of ${tests.length} tests pass`;
  return finding === undefined
    ? { text: `proposed; ${ran}, surface matches the contract`, good: null }
    : { text: `proposed; ${ran}; found by the harness: ${String(finding["evidence"])}`, good: null };
}

const STANDINGS: Readonly<Record<string, string>> = {
  upheld: "objection upheld:",
  refuted: "objection refuted:",
  opinion: "objection is an opinion:",
};

function witnessed(value: unknown): Narrated {
  const heard = (Array.isArray(value) ? value : []).filter(isRecord);
  const told = heard.flatMap(({ standing, report }) => {
    if (standing === "document") return ["objection to a document stands"];
    const how = STANDINGS[String(standing)];
    return how === undefined ? [] : [`${how} ${shortened(String(report))}`];
  });
  return told.length === 0 ? null : { text: told.join("; "), good: null };
}

/** Removes the repeated name from the report of a witness with one test of the same name. */
function shortened(report: string): string {
  return report
    .replace(/^"(.+?)" was run and fails: "\1": (?:AssertionError: )?/, '"$1" was run and fails: ')
    .replace(/^"(.+?)" was run and passes: \1$/, '"$1" was run and passes');
}

function amended(value: unknown): Narrated {
  if (!Array.isArray(value)) return null;
  return value.length === 0
    ? { text: "amendments applied and checked", good: null }
    : { text: `${value.length} amendments not applied`, good: false };
}

function raised(value: unknown): Narrated {
  if (!isRecord(value)) return null;
  return value["ok"] === true
    ? { text: `needs a changed contract of another module: ${String(value["exception_id"])}`, good: null }
    : { text: "interface change refused", good: null };
}

function superseded({ module_ref }: Value): Line | null {
  return typeof module_ref === "string" ? { feature: module_ref, text: "superseded by the new version", good: null } : null;
}

function lineOf(feature: string, narrated: Narrated): Line | null {
  return narrated === null ? null : { feature, ...narrated };
}

function listIn(value: Value, name: string): readonly Value[] {
  const list = value[name];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Value {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
