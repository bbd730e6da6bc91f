import type { InitFinding, FoundStep } from "./finding.ts";
import { at, below, firstOf, has, type InitTarget } from "./target.ts";

interface BuildTool {
  readonly title: string;
  readonly files: readonly string[];
  readonly wrapper: string;
  readonly program: string;
  readonly flags: readonly string[];
  readonly compile: string;
  /** Folders in the home folder, with the option that points the tool to them: a gate's own HOME is empty. */
  readonly kept: readonly { readonly folder: string; readonly flag?: string; readonly env?: readonly [name: string, value: string] }[];
}

const MAVEN: BuildTool = {
  title: "Maven",
  files: ["pom.xml"],
  wrapper: "mvnw",
  program: "mvn",
  flags: ["--offline", "--batch-mode"],
  compile: "test-compile",
  kept: [
    { folder: ".m2/repository", flag: "-Dmaven.repo.local=~/.m2/repository" },
    { folder: ".m2/wrapper", env: ["MAVEN_USER_HOME", "~/.m2"] },
  ],
};

const GRADLE: BuildTool = {
  title: "Gradle",
  files: ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"],
  wrapper: "gradlew",
  program: "gradle",
  flags: ["--offline", "--no-daemon"],
  compile: "testClasses",
  kept: [{ folder: ".gradle/caches", env: ["GRADLE_RO_DEP_CACHE", "~/.gradle/caches"] }],
};

export function detectJava(place: InitTarget): InitFinding | null {
  const [first, other] = [MAVEN, GRADLE].filter(({ files }) => firstOf(place, files) !== undefined);
  if (first === undefined) return null;
  if (other === undefined) return stepsOf(place, first, []);
  const onlyOtherWrapped = has(place, other.wrapper) && !has(place, first.wrapper);
  const [chosen, left] = onlyOtherWrapped ? [other, first] : [first, other];
  const reason = onlyOtherWrapped ? `only ${chosen.title} has a wrapper here` : `it is preferred unless only ${left.title} has a wrapper`;
  return stepsOf(place, chosen, [`${chosen.title} was chosen and ${at(place, String(firstOf(place, left.files)))} left out: ${reason}.`]);
}

function stepsOf(place: InitTarget, tool: BuildTool, chosen: readonly string[]): InitFinding {
  const file = at(place, String(firstOf(place, tool.files)));
  const wrapped = has(place, tool.wrapper);
  const folders = tool.kept.filter(({ folder }) => place.machine.home(folder));
  const flags = [...tool.flags, ...folders.flatMap(({ flag }) => flag ?? [])];
  const env = Object.fromEntries(folders.flatMap((entry) => (entry.env === undefined ? [] : [entry.env])));
  const how = wrapped ? `its own ./${tool.wrapper}` : `${tool.program} because there is no ${tool.wrapper}`;
  const why = `${file} is a ${tool.title} project, run with ${how}; --offline because gates have no network.`;
  const step = (kind: FoundStep["kind"], goal: string): FoundStep => ({
    kind,
    cmd: [...program(place, tool, wrapped), ...flags, goal],
    env,
    why,
  });
  return {
    steps: [step("compile", tool.compile), step("test", "test")],
    commands: [...(wrapped ? [] : [tool.program]), "java"],
    home: tool.kept.map(({ folder }) => folder),
    notes: [...chosen, ...(wrapped && tool === GRADLE ? [GRADLE_WRAPPER] : []), ...untested(place, file, tool)],
  };
}

const GRADLE_WRAPPER =
  "./gradlew keeps Gradle in the home folder, which is empty in a gate: if it tries to download, install gradle and name that in slipway/gates.yaml.";

function program(place: InitTarget, tool: BuildTool, wrapped: boolean): string[] {
  if (!wrapped) return [tool.program];
  return place.tree.isExecutable(at(place, tool.wrapper)) ? [`./${tool.wrapper}`] : ["sh", `./${tool.wrapper}`];
}

function untested(place: InitTarget, file: string, { title }: BuildTool): string[] {
  if (below(place).some((path) => /(?:^|\/)src\/test\//.test(path))) return [];
  return [`${file} has no src/test yet, so ${title} passes without testing anything.`];
}
