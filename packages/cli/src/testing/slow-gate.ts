import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FILES, letters, type Project } from "./project.ts";

/** A project whose gates pass on the base. On a change they wait for the content of a file outside the repository, which the policy shows. */
export function slow(): Project {
  const project = letters({ "slipway/policy.yaml": `${FILES["slipway/policy.yaml"]}sandbox: { read_only: [~/signals] }\n` });
  mkdirSync(join(project.home, "signals"));
  holdBack(project);
  project.write("check.sh", `grep -q one src/a.txt && exit 0\nwhile ! grep -q go ${signal(project)}; do sleep 0.05; done\n`);
  project.git("commit", "-qam", "a slow gate");
  return project;
}

export const letGo = (project: Project) => writeFileSync(signal(project), "go");
export const holdBack = (project: Project) => writeFileSync(signal(project), "");

function signal({ home }: Project): string {
  return join(home, "signals", "go");
}
