import { SlipwayError } from "../errors.ts";
import { note, ok, problem, type DoctorFinding, type DoctorSubject } from "./check.ts";

export const NOT_TRUSTED = note("Not checked, because that would start programs of a configuration that you have not trusted.");

/** `checkTrust` reports why it cannot be read. */
export async function isTrusted(subject: DoctorSubject): Promise<boolean> {
  return subject.trusted().catch((error: unknown) => {
    if (error instanceof SlipwayError) return false;
    throw error;
  });
}

export async function checkTrust(subject: DoctorSubject): Promise<DoctorFinding[]> {
  if ((await subject.configuration()) === null) return [note("Not checked, because the configuration cannot be used.")];
  if (await subject.trusted()) return [ok("You have trusted this configuration.")];
  return [
    problem("You have not trusted this configuration, so no program that it names is started.", "slipway trust (shows every program)"),
  ];
}
