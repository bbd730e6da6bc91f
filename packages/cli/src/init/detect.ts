import type { Detector, FoundStep, DetectedLanguage, GateStepKind } from "./finding.ts";
import { detectGo } from "./go.ts";
import { detectJava } from "./java.ts";
import { detectNode } from "./node.ts";
import type { InitTree, InitMachine } from "./target.ts";
import { detectPython } from "./python.ts";
import { detectRust } from "./rust.ts";
import { toolchainFolders } from "./toolchains.ts";

export const DETECTORS: readonly Detector[] = [
  { language: "node", title: "Node.js", detect: detectNode },
  { language: "python", title: "Python", detect: detectPython },
  { language: "rust", title: "Rust", detect: detectRust },
  { language: "go", title: "Go", detect: detectGo },
  { language: "java", title: "Java", detect: detectJava },
];

export interface DetectedGate extends Omit<FoundStep, "kind"> {
  readonly name: string;
  readonly kind: GateStepKind;
  /** Groups the gates of one project. */
  readonly project: string;
  readonly cwd?: string;
}

export interface GateProposal {
  /** Recognised projects, such as "Node.js" or "Python in api". */
  readonly projects: readonly string[];
  readonly gates: readonly DetectedGate[];
  readonly sharedPaths: readonly string[];
  /** Absolute, or beginning with "~/". */
  readonly readOnly: readonly string[];
  readonly notes: readonly string[];
}

interface Project {
  readonly language: DetectedLanguage;
  readonly title: string;
  readonly folder: string;
  readonly finding: NonNullable<ReturnType<Detector["detect"]>>;
}

/** Detects projects and gates. A pure function of the two views. */
export function detect(tree: InitTree, machine: InitMachine): GateProposal {
  const projects = DETECTORS.flatMap((detector) => projectsOf(detector, tree, machine));
  const alone = projects.length === 1;
  const used = projects.filter(({ finding }) => finding.steps.length > 0).map(({ finding }) => finding);
  const home = used.flatMap((finding) => finding.home ?? []).filter((path) => machine.home(path));
  const places = used.flatMap((finding) => finding.commands).flatMap((command) => machine.locate(command));
  return {
    projects: projects.map(({ title, folder }) => (folder === "" ? title : `${title} in ${folder}`)),
    gates: projects.flatMap((project) => gatesOf(project, alone)),
    sharedPaths: unique(used.flatMap((finding) => finding.shared ?? [])),
    readOnly: withoutNested([...home.map((path) => `~/${path}`), ...toolchainFolders(places, machine.homeFolder)]),
    notes: unique(projects.flatMap(({ finding }) => finding.notes ?? [])),
  };
}

/** The root represents its sub-folders if it has tests; otherwise each is checked. */
function projectsOf({ language, title, detect }: Detector, tree: InitTree, machine: InitMachine): Project[] {
  const look = (folder: string): Project[] => {
    const finding = detect({ folder, tree, machine });
    return finding === null ? [] : [{ language, title, folder, finding }];
  };
  const root = look("");
  const tested = root.some(({ finding }) => finding.steps.some(({ kind }) => kind === "test"));
  return tested ? root : [...root, ...subFolders(tree).flatMap(look)];
}

const CONTAINERS = new Set(["apps", "crates", "libs", "modules", "packages", "projects", "services"]);
/** Folders with examples, copies or build output. */
const PASSED_OVER =
  /^(?:\..*|node_modules|vendor|third_party|examples?|samples?|demos?|templates?|fixtures|testdata|tests?|e2e|docs?|dist|build|target|slipway)$/;

function subFolders(tree: InitTree): string[] {
  const folders = tree.files.flatMap((path) => {
    const [first, second, third] = path.split("/");
    if (first === undefined || second === undefined || PASSED_OVER.test(first)) return [];
    if (!CONTAINERS.has(first)) return [first];
    return third === undefined || PASSED_OVER.test(second) ? [] : [`${first}/${second}`];
  });
  return unique(folders).toSorted();
}

function gatesOf({ language, folder, finding }: Project, alone: boolean): DetectedGate[] {
  const prefix = alone ? "" : [...folder.split("/"), language].filter((part) => part !== "").join("-") + "-";
  return finding.steps.map((step) => ({
    ...step,
    name: `${prefix}${step.kind}`,
    project: `${language}:${folder}`,
    ...(folder === "" ? {} : { cwd: folder }),
  }));
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

function withoutNested(paths: readonly string[]): string[] {
  return unique(paths).filter((path, _, all) => !all.some((other) => other !== path && path.startsWith(`${other}/`)));
}
