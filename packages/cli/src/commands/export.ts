import { jsonLine } from "@slipway/protocols/surface/escape";
import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { exportRole, isExport, TARGETS, type ExportedFile, type Target } from "@slipway/agents/role-export";
import type { Role } from "@slipway/agents/role";
import { withConfiguredPrompt } from "@slipway/agents/system-prompt";
import { SlipwayError } from "../errors.ts";
import type { Committed } from "@slipway/kernel/config/committed-files";
import type { ReadFile } from "@slipway/kernel/host/files/read-file";
import { hasCode, nodeFileSystem } from "@slipway/kernel/host/files/file-system";
import { ensureDirectory, writeFileAtomic } from "@slipway/kernel/host/files/write-atomic";
import { openRepositoryView } from "@slipway/kernel/repository-view";
import { roleKeys } from "@slipway/protocols/dispatch/role-keys";
import { DEFAULT_PROTOCOL, protocolNamed } from "@slipway/protocols/protocols";
import { protocolRole, roleNames } from "@slipway/protocols/dispatch/roles";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";

type FileState = "same" | "missing" | "differs" | "not ours";

export const run: RunCommand = async (args, io) => {
  const target = targetFrom(args.positionals[0]);
  const { name: protocol } = protocolNamed(args.text("protocol") ?? DEFAULT_PROTOCOL);
  const { root, roles } = await rolesOf(protocol, io);
  const out = resolve(io.cwd, args.text("out") ?? root);
  const files = await Promise.all(
    roles.map(async (role) => {
      const file = exportRole(target, protocol, role);
      return { ...file, standing: await fileStateOf(join(out, file.path), file) };
    }),
  );
  if (args.flag("check")) {
    const differing = files.filter(({ standing }) => standing !== "same");
    tell(io, args.flag("json"), out, files, (file) =>
      file.standing === "same" ? `${file.path} is up to date` : `${file.path}: ${file.standing}`,
    );
    return differing.length === 0 ? EXIT.done : EXIT.failed;
  }
  const foreign = files.filter(({ standing }) => standing === "not ours");
  if (foreign.length > 0 && !args.flag("force")) throw inTheWay(foreign.map(({ path }) => join(out, path)));
  for (const { path, text, standing } of files) if (standing !== "same") await write(join(out, path), text);
  tell(io, args.flag("json"), out, files, ({ path, standing }) => (standing === "same" ? `${path} was up to date` : `${path} written`));
  return EXIT.done;
};

function targetFrom(name: string | undefined): Target {
  const target = TARGETS.find((known) => known === name);
  if (target !== undefined) return target;
  throw new SlipwayError("invalid_cli_args", `There is no export '${name}'.`, {
    suggested_next_actions: [`Use one of ${TARGETS.map((known) => `\`slipway export ${known}\``).join(", ")}.`],
  });
}

/** As a run plays them: with the repository's own roles and prompts, if any. */
async function rolesOf(protocol: string, io: Io): Promise<{ readonly root: string; readonly roles: readonly Role[] }> {
  const { root, committed } = await repositoryOf(io);
  const agents = committed?.configuration.agents ?? null;
  const readFileOrNone: ReadFile = committed?.readFile ?? (async () => null);
  const roles: Role[] = [];
  for (const name of await roleNames(protocol)) {
    roles.push(
      await withConfiguredPrompt(
        await protocolRole(protocol, name, readFileOrNone),
        agents,
        readFileOrNone,
        roleKeys({ protocol, role: name }),
      ),
    );
  }
  return { root, roles };
}

/** Outside a repository, or before `slipway init`, only the built-in roles exist. */
async function repositoryOf(io: Io): Promise<{ readonly root: string; readonly committed: Committed | null }> {
  try {
    const repository = await openRepositoryView(io);
    return { root: repository.root, committed: await repository.committed().catch(unlessMissing) };
  } catch (error) {
    if (error instanceof SlipwayError && error.code === "not_a_repository") return { root: io.cwd, committed: null };
    throw error;
  }
}

function unlessMissing(error: unknown): null {
  if (error instanceof SlipwayError && error.code === "config_missing") return null;
  throw error;
}

async function fileStateOf(path: string, { text }: ExportedFile): Promise<FileState> {
  try {
    const there = await readFile(path, "utf8");
    if (there === text) return "same";
    return isExport(there) ? "differs" : "not ours";
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return "missing";
    throw error;
  }
}

async function write(path: string, text: string): Promise<void> {
  await ensureDirectory(nodeFileSystem, dirname(path));
  await writeFileAtomic(nodeFileSystem, path, Buffer.from(text));
}

type Told = ExportedFile & { readonly standing: FileState };

function tell(io: Io, json: boolean, out: string, files: readonly Told[], line: (file: Told) => string): void {
  if (json) io.out(jsonLine({ ok: true, out, files: files.map(({ path, standing }) => ({ path, was: standing })) }));
  else for (const file of files) io.out(`${line(file)}\n`);
}

function inTheWay(paths: readonly string[]): SlipwayError {
  return new SlipwayError("invalid_cli_args", `These files exist and were not written by Slipway: ${paths.join(", ")}.`, {
    files: paths,
    suggested_next_actions: ["Move them, export elsewhere with --out FOLDER, or replace them with --force."],
  });
}
