import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FILES, letters, type Project } from "./project.ts";

/** A project whose gates pass on the base. On a change they wait for a file outside the repository, which the policy mounts. */
export function slow(): Project {
  const project = letters({ "slipway/policy.yaml": `${FILES["slipway/policy.yaml"]}sandbox: { read_only: [~/signals] }\n` });
  mkdirSync(join(project.home, "signals"));
  project.write("check.sh", `grep -q one src/a.txt && exit 0\nwhile [ ! -e ${signal(project)} ]; do sleep 0.05; done\n`);
  project.git("commit", "-qam", "a slow gate");
  return project;
}

export const letGo = (project: Project) => writeFileSync(signal(project), "");
export const holdBack = (project: Project) => rmSync(signal(project));

function signal({ home }: Project): string {
  return join(home, "signals", "go");
}
