import { note, ok, problem, type DoctorFinding, type DoctorSubject } from "./check.ts";

export const NOT_TRUSTED = note("Not checked, because that would start programs of a configuration that you have not trusted.");

export async function checkTrust(subject: DoctorSubject): Promise<DoctorFinding[]> {
  if ((await subject.configuration()) === null) return [note("Not checked, because the configuration cannot be used.")];
  if (await subject.trusted()) return [ok("You have trusted this configuration.")];
  return [
    problem("You have not trusted this configuration, so no program that it names is started.", "slipway trust (shows every program)"),
  ];
}
