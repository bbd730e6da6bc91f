import { expect, test } from "vitest";
import type { Io } from "@slipway/protocols/surface/io";
import { effectiveTrust } from "../doctor/configuration.ts";
import { isTrusted } from "../doctor/trust.ts";
import { SlipwayError } from "../errors.ts";
import { letters } from "../testing/project.ts";
import { askTrustOf } from "../trust/ask.ts";
import type { DoctorSubject } from "../doctor/check.ts";

const AGENTS = `version: 1
roles: {}
runtime:
  default_provider: replay
  custom: { command: [sh, -c, "echo 'a b'"] }
`;

/** Nobody is asked, and nobody has trusted anything. */
async function untrusted(files: Readonly<Record<string, string>> = { "slipway/agents.yaml": AGENTS }) {
  const project = letters(files);
  await project.slipway(["trust", "--remove"]);
  const slipway = (...argv: readonly string[]) => project.slipway(argv, { trusts: undefined });
  return { project, slipway };
}

test("shows the programs and is not trusted without a word; --yes trusts it, and then nothing is asked", async () => {
  const { slipway, project } = await untrusted();
  const shown = await slipway("trust");
  expect(shown.code).toBe(23);
  expect(shown.stdout).toContain(`sh -c "echo 'a b'"  (slipway/agents.yaml, runtime.custom.command)`);
  expect(shown.stdout).toContain("Not trusted: no program of this repository is started.");
  expect(await slipway("gates", "fast")).toMatchObject({ code: 23, stderr: expect.stringMatching(/^configuration_not_trusted: /) });
  expect((await slipway("trust", "--yes")).stdout).toMatch(/Trusted: the configuration [0-9a-f]{12} of main/);
  expect((await slipway("trust")).stdout).toContain("You have trusted exactly this configuration.");
  expect((await slipway("agents")).code).toBe(0);
  project.write("slipway/agents.yaml", `# a word\n${AGENTS}`);
  project.git("commit", "--all", "--quiet", "--message=comment");
  expect((await slipway("trust")).stdout).toContain("changed: slipway/agents.yaml (nothing that is listed here)");
  project.write("slipway/agents.yaml", "version: 1\nroles: {}\n");
  project.git("commit", "--all", "--quiet", "--message=none");
  expect((await slipway("trust")).stdout).toMatch(/gone: sh -c "echo 'a b'", started outside the sandbox/);
});

test("--json tells the same to a program", async () => {
  const { slipway } = await untrusted();
  const [before] = (await slipway("trust", "--json")).json<Record<string, unknown>>();
  expect(before).toMatchObject({ trusted: false, branch: "main", last_trusted: null, grants: [] });
  expect(JSON.stringify(before?.["programs"])).toContain("outside the sandbox");
  const yes = await slipway("trust", "--yes", "--json");
  expect([yes.code, yes.json<{ trusted: boolean }>()[0]?.trusted]).toEqual([0, true]);
  expect((await slipway("trust", "--list", "--json")).json()).toMatchObject([[{ trusted: [{ by: "kim" }] }]]);
  expect((await slipway("trust", "--remove", "--json")).json()).toEqual([{ ok: true, removed: true }]);
  expect((await slipway("trust", "--remove", "--json")).json()).toEqual([{ ok: true, removed: false }]);
});

test("--list and --remove in words", async () => {
  const { slipway, project } = await untrusted();
  expect((await slipway("trust", "--list")).stdout).toBe("You have trusted no configuration.\n");
  await slipway("trust", "--yes");
  expect((await slipway("trust", "--list")).stdout).toMatch(
    new RegExp(`^[0-9a-f]{12}  \\d{4}-\\d\\d-\\d\\d  kim  ${project.root}/.git\n$`),
  );
  expect((await slipway("trust", "--remove")).stdout).toContain("No configuration of this repository is trusted any more.");
  expect((await slipway("trust", "--remove")).stdout).toContain("You had trusted no configuration of this repository.");
});

test("a file of a protocol is shown, unless no run accepts it", async () => {
  const file = "slipway/criticality.toml";
  const verifier = '[verifier]\ncommand = ["prove"]\nfunctions = ["src/**"]\nread_only = ["/opt/prover"]\n';
  const { slipway, project } = await untrusted({ [file]: verifier });
  const { stdout } = await slipway("trust");
  expect(stdout).toContain(`prove  (${file}, verifier.command)`);
  expect(stdout).toContain(`the verifier reads /opt/prover  (${file}, verifier.read_only)`);
  project.write(file, "[verifier\n");
  project.git("commit", "--all", "--quiet", "--message=invalid");
  expect((await slipway("trust")).stdout).not.toContain(file);
});

test("what is not committed yet is told to be of the working tree", async () => {
  const { slipway, project } = await untrusted();
  project.git("rm", "--quiet", "-r", "--cached", "slipway");
  project.git("commit", "--quiet", "--message=without");
  expect((await slipway("trust", "--yes")).stdout).toContain("of your working tree");
});

test("doctor names it, checks nothing that starts a program, and passes once it is trusted", async () => {
  const { slipway } = await untrusted();
  const rows = async () =>
    (await slipway("doctor", "--skip-base-gates", "--json")).json<{ name: string; status: string; finding: string }[]>()[0] ?? [];
  const before = await rows();
  expect(before.find(({ name }) => name === "trust")).toMatchObject({ status: "problem" });
  for (const name of ["gates", "agents"])
    expect(before.find((row) => row.name === name)).toMatchObject({ status: "note", finding: expect.stringContaining("not trusted") });
  await slipway("trust", "--yes");
  expect((await rows()).find(({ name }) => name === "trust")).toMatchObject({ status: "ok" });
});

test("a person is asked only on a terminal and not with --json", () => {
  const io = { interactive: true } as Io;
  expect(askTrustOf(io, false)).toBeTypeOf("function");
  expect(askTrustOf(io, true)).toBe(undefined);
  expect(askTrustOf({ ...io, interactive: false }, false)).toBe(undefined);
});

test("for doctor's other checks an unreadable trust is none; a bug stays one", async () => {
  const subject = (error: Error) => ({ trusted: () => Promise.reject(error) }) as unknown as DoctorSubject;
  expect(await isTrusted(subject(new SlipwayError("configuration_not_trusted", "no")))).toBe(false);
  await expect(isTrusted(subject(new TypeError("bug")))).rejects.toThrow("bug");
  await expect(effectiveTrust({ cwd: letters().root, env: { PATH: "/nowhere" } })).resolves.toBe(null);
});
