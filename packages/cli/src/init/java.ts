import type { Finding, FoundStep } from "./finding.ts";
import { at, firstOf, has, type Place } from "./place.ts";

const GRADLE = ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"];

export function detectJava(place: Place): Finding | null {
  const pom = has(place, "pom.xml") ? "pom.xml" : undefined;
  const gradle = firstOf(place, GRADLE);
  if (pom === undefined && gradle === undefined) return null;
  const useGradle = gradle !== undefined && (pom === undefined || (has(place, "gradlew") && !has(place, "mvnw")));
  const finding = useGradle ? gradleSteps(place, gradle) : mavenSteps(place, String(pom));
  const [chosen, other] = useGradle ? ["Gradle", pom] : ["Maven", gradle];
  if (other === undefined) return finding;
  const reason = useGradle ? "only Gradle has a wrapper here" : "Maven is taken unless only Gradle has a wrapper";
  return { ...finding, notes: [`${at(place, other)} was left out and ${chosen} chosen: ${reason}.`] };
}

function mavenSteps(place: Place, file: string): Finding {
  const [command, how] = wrapperOr(place, "mvnw", "mvn");
  const repository = place.machine.home(".m2/repository") ? ["-Dmaven.repo.local=~/.m2/repository"] : [];
  const why = `${at(place, file)} is a Maven project, run with ${how}; --offline because gates have no network.`;
  const step = (kind: FoundStep["kind"], goal: string): FoundStep => ({ kind, cmd: [...command, "--offline", "--batch-mode", ...repository, goal], why });
  return { steps: [step("compile", "test-compile"), step("test", "test")], commands: needed(place, command), home: [".m2/repository", ".m2/wrapper"] };
}

function gradleSteps(place: Place, file: string): Finding {
  const [command, how] = wrapperOr(place, "gradlew", "gradle");
  const why = `${at(place, file)} is a Gradle project, run with ${how}; --offline because gates have no network.`;
  const env = place.machine.home(".gradle/caches") ? { GRADLE_RO_DEP_CACHE: "~/.gradle/caches" } : {};
  const step = (kind: FoundStep["kind"], task: string): FoundStep => ({ kind, cmd: [...command, "--offline", "--no-daemon", task], env, why });
  return { steps: [step("compile", "testClasses"), step("test", "test")], commands: needed(place, command), home: [".gradle/caches", ".gradle/wrapper"] };
}

function wrapperOr(place: Place, wrapper: string, command: string): [cmd: string[], how: string] {
  if (!has(place, wrapper)) return [[command], `${command} because there is no ${wrapper}`];
  const started = place.tree.isExecutable(at(place, wrapper)) ? [`./${wrapper}`] : ["sh", `./${wrapper}`];
  return [started, `its own ./${wrapper}`];
}

function needed(place: Place, command: readonly string[]): string[] {
  return [...(has(place, "mvnw") || has(place, "gradlew") ? [] : command), "java"];
}
