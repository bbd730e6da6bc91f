import type { ProjectFiles, ProjectCommand } from "./tooling.ts";

export async function goTools(): Promise<ProjectCommand[]> {
  return [
    { kind: "build", tool: "go", command: ["go", "build", "./..."] },
    { kind: "lint", tool: "go vet", command: ["go", "vet", "./..."] },
    { kind: "tests", tool: "go test", command: ["go", "test", "./..."] },
  ];
}

/** Dependencies come from the machine's own registry: a sandbox has no network. */
export async function rustTools(): Promise<ProjectCommand[]> {
  return [
    { kind: "build", tool: "cargo", command: ["cargo", "build", "--offline"] },
    { kind: "lint", tool: "clippy", command: ["cargo", "clippy", "--offline"] },
    { kind: "tests", tool: "cargo test", command: ["cargo", "test", "--offline"] },
  ];
}

export async function javaTools(project: ProjectFiles): Promise<ProjectCommand[]> {
  if (project.has("pom.xml"))
    return [
      { kind: "build", tool: "mvn", command: ["mvn", "--offline", "--batch-mode", "--quiet", "compile"] },
      { kind: "tests", tool: "mvn", command: ["mvn", "--offline", "--batch-mode", "test"] },
    ];
  const gradle = project.has("gradlew") ? "./gradlew" : "gradle";
  return [
    { kind: "build", tool: "gradle", command: [gradle, "--offline", "--console=plain", "classes"] },
    { kind: "tests", tool: "gradle", command: [gradle, "--offline", "--console=plain", "test"] },
  ];
}
