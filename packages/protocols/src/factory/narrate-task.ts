import type { Line } from "../narration/line.ts";

type Value = Readonly<Record<string, unknown>>;
type Said = Omit<Line, "feature"> | null;

const ROUTES: Readonly<Record<string, Omit<Line, "feature">>> = {
  revise: { text: "the objections stand: it is revised", good: null },
  adjudicate: { text: "goes to the Arbiter", good: null },
  amend: { text: "approved with amendments", good: null },
  ship: { text: "approved", good: true },
  halt: { text: "no agreement: a person has to decide", good: false },
};

/** What a step of a task came to: its plan, and the debate and shipping of each module. */
export function narrateTask(name: string, value: unknown): Line | null {
  const [, module = "", step = ""] = /^(MM-\w+)\/(.+)$/.exec(name) ?? [];
  if (module !== "") return lineOf(module, ofModule(step, value));
  if (name.startsWith("check:plan:")) return lineOf("plan", ofPlan(value));
  if (name === "supersede" && isRecord(value)) return superseded(value);
  const agreed = /^(ICE-\w+):finalize$/.exec(name)?.[1];
  if (agreed !== undefined) return { feature: agreed, text: "the changed contract is debated and agreed on; it is built", good: true };
  return null;
}

/** What a tool of the product owner found. */
export function narrateProduct(name: string, value: unknown): Line | null {
  if (!name.startsWith("tool:") || !isRecord(value) || !isRecord(value["output"])) return null;
  const { output } = value;
  if (value["ok"] === true && typeof output["spec_digest"] === "string") {
    return { feature: "product", text: "the spec is written, and none of the 14 criteria finds fault", good: true };
  }
  const errors = listIn(output, "errors");
  const [first] = errors;
  if (first === undefined) return null;
  const count = errors.length === 1 ? "1 fault" : `${errors.length} faults`;
  return { feature: "product", text: `the draft has ${count}, such as ${String(first["message"])}`, good: null };
}

function ofModule(step: string, value: unknown): Said {
  const [, round, next = ""] = /^route:(\d+):(\w+)$/.exec(step) ?? [];
  const route = ROUTES[next];
  if (route !== undefined) return { ...route, text: `round ${round}: ${route.text}` };
  if (/^ship(?:-amended)?:\d+:register$/.test(step)) return { text: "tested, sealed and in the code index", good: true };
  if (/^inspect:\d+$/.test(step)) return inspected(value);
  if (/^challenge:\d+:witnesses$/.test(step)) return witnessed(value);
  if (/^amended:\d+$/.test(step)) return amended(value);
  if (step.endsWith(":exception")) return raised(value);
  if (step === "reuse" && isRecord(value)) {
    return { text: `found in the code index: ${String(value["module_id"])}@${String(value["version"])} is reused`, good: true };
  }
  return null;
}

function ofPlan(value: unknown): Said {
  if (!isRecord(value)) return null;
  if (value["ok"] !== true) return { text: `refused: ${String(listIn(value, "problems")[0]?.["message"])}`, good: false };
  const modules = listIn(isRecord(value["draft"]) ? value["draft"] : {}, "modules");
  const alike = isRecord(value["alike"]) ? value["alike"] : {};
  const named = modules.map(({ module_id, reuse_decision }) => {
    const like = listIn(alike, String(module_id)).map(({ module_ref }) => String(module_ref));
    const flagged = like.length === 0 ? "new" : `new, though much like ${like.join(", ")}: the plan says why`;
    return `${String(module_id)} (${reuse_decision === "REUSE" ? "reused" : flagged})`;
  });
  return { text: named.join(", "), good: null };
}

/** What the harness saw for itself, before anybody judged it. */
function inspected(value: unknown): Said {
  if (!isRecord(value)) return null;
  const tests = listIn(value, "summary");
  const passed = tests.filter(({ result }) => result === "PASS").length;
  const [finding] = listIn(value, "findings");
  const ran = `${passed} of ${tests.length} tests pass`;
  return finding === undefined
    ? { text: `proposed; ${ran}, and the code has the contract's surface`, good: null }
    : { text: `proposed; ${ran}; found by the harness: ${String(finding["evidence"])}`, good: null };
}

const STANDINGS: Readonly<Record<string, string>> = {
  upheld: "an objection is upheld:",
  refuted: "an objection is refuted:",
  opinion: "an objection is an opinion:",
};

function witnessed(value: unknown): Said {
  const heard = (Array.isArray(value) ? value : []).filter(isRecord);
  const told = heard.flatMap(({ standing, report }) => {
    if (standing === "document") return ["an objection is about what is written, and stands"];
    const how = STANDINGS[String(standing)];
    return how === undefined ? [] : [`${how} ${shortened(String(report))}`];
  });
  return told.length === 0 ? null : { text: told.join("; "), good: null };
}

/** A witness with one test of its own name says that name twice. */
function shortened(report: string): string {
  return report
    .replace(/^"(.+?)" was run and fails: "\1": (?:AssertionError: )?/, '"$1" was run and fails: ')
    .replace(/^"(.+?)" was run and passes: \1$/, '"$1" was run and passes');
}

function amended(value: unknown): Said {
  if (!Array.isArray(value)) return null;
  return value.length === 0
    ? { text: "the amendments are applied, as the harness has checked", good: null }
    : { text: `${value.length} of the amendments are not applied`, good: false };
}

function raised(value: unknown): Said {
  if (!isRecord(value)) return null;
  return value["ok"] === true
    ? { text: `cannot be built on the contract of another module: ${String(value["exception_id"])}`, good: null }
    : { text: "asks for a change of a contract, which is refused", good: null };
}

function superseded({ module_ref }: Value): Line | null {
  return typeof module_ref === "string" ? { feature: module_ref, text: "is superseded by the new version", good: null } : null;
}

function lineOf(feature: string, said: Said): Line | null {
  return said === null ? null : { feature, ...said };
}

function listIn(value: Value, name: string): readonly Value[] {
  const list = value[name];
  return Array.isArray(list) ? list.filter(isRecord) : [];
}

function isRecord(value: unknown): value is Value {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
