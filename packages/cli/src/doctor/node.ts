import { ok, problem, type DoctorFinding } from "./check.ts";

const OLDEST_MAJOR = 24;

export async function checkNode(version = process.versions.node, program = process.execPath): Promise<DoctorFinding[]> {
  if (Number(version.split(".")[0]) >= OLDEST_MAJOR) return [ok(`Node ${version} at ${program}.`)];
  return [
    problem(
      `Node ${OLDEST_MAJOR} or newer is needed; ${program} is ${version}.`,
      "npm install --global slipway (it brings its own Node), or install Node 24 from https://nodejs.org.",
    ),
  ];
}
