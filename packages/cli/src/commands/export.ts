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
import type { ProtocolEntry, ProtocolExport } from "@slipway/protocols/protocol";
import { protocolRole, roleNames } from "@slipway/protocols/dispatch/roles";
import type { RunCommand } from "@slipway/protocols/surface/command";
import { EXIT } from "@slipway/protocols/surface/exit-codes";
import type { Io } from "@slipway/protocols/surface/io";

type FileState = "same" | "missing" | "differs" | "not ours" | "of another protocol";

/** Their owner may want them: they are replaced only with --force. */
const FOREIGN: readonly FileState[] = ["not ours", "of another protocol"];

export const run: RunCommand = async (args, io) => {
  const target = targetFrom(args.positionals[0]);
  const entry = protocolNamed(args.text("protocol") ?? DEFAULT_PROTOCOL);
  const { root, roles } = await rolesOf(entry.name, io);
  const exported = await exportOf(entry, target, roles);
  const out = resolve(io.cwd, args.text("out") ?? join(root, exported.root));
  const files = await Promise.all(
    exported.files.map(async (file) => ({ ...file, standing: await fileStateOf(join(out, file.path), file) })),
  );
  if (args.flag("check")) {
    const differing = files.filter(({ standing }) => standing !== "same");
    tell(io, args.flag("json"), out, files, (file) =>
      file.standing === "same" ? `${file.path} is up to date` : `${file.path}: ${file.standing}`,
    );
    return differing.length === 0 ? EXIT.done : EXIT.failed;
  }
  const foreign = files.filter(({ standing }) => FOREIGN.includes(standing));
  if (foreign.length > 0 && !args.flag("force")) throw inTheWay(out, foreign);
  for (const { path, text, standing } of files) if (standing !== "same") await write(join(out, path), text);
  tell(io, args.flag("json"), out, files, ({ path, standing }) => (standing === "same" ? `${path} was up to date` : `${path} written`));
  return EXIT.done;
};

/** A file for each role, unless the protocol has more to say. */
async function exportOf({ name, exports }: ProtocolEntry, target: Target, roles: readonly Role[]): Promise<ProtocolExport> {
  return exports === undefined ? { root: "", files: roles.map((role) => exportRole(target, name, role)) } : await exports(target, roles);
}

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
    if (!isExport(there)) return "not ours";
    return protocolIn(there) === protocolIn(text) ? "differs" : "of another protocol";
  } catch (error) {
    if (hasCode(error, "ENOENT", "ENOTDIR")) return "missing";
    throw error;
  }
}

/** As the mark of an export names it. */
function protocolIn(text: string): string | null {
  return /^# slipway export: \{"protocol":"([^"]*)"/m.exec(text)?.[1] ?? null;
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

function inTheWay(out: string, foreign: readonly Told[]): SlipwayError {
  const paths = foreign.map(({ path }) => join(out, path));
  const named = foreign.map(({ standing }, index) => `${paths[index]} (${standing})`);
  return new SlipwayError("invalid_cli_args", `These files exist and do not belong to this export: ${named.join(", ")}.`, {
    files: paths,
    suggested_next_actions: ["Move them, export elsewhere with --out FOLDER, or replace them with --force."],
  });
}
