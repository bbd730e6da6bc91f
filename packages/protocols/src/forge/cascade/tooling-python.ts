import type { ProjectFiles, ProjectCommand } from "./tooling.ts";

const PYTHON = "python3";
const READ_AT_MOST = 20;

export async function pythonTools(project: ProjectFiles): Promise<ProjectCommand[]> {
  const pyproject = await project.text("pyproject.toml");
  const setup = await project.text("setup.cfg");
  const tools: ProjectCommand[] = [];
  if (project.has("mypy.ini") || project.has(".mypy.ini") || section("tool\\.mypy").test(pyproject) || section("mypy").test(setup))
    tools.push({ kind: "typecheck", tool: "mypy", command: [PYTHON, "-m", "mypy", "--cache-dir=/dev/null", "."] });
  else if (project.has("pyrightconfig.json") || section("tool\\.pyright").test(pyproject))
    tools.push({ kind: "typecheck", tool: "pyright", command: ["pyright"] });
  if (project.has("ruff.toml") || project.has(".ruff.toml") || section("tool\\.ruff").test(pyproject))
    tools.push({ kind: "lint", tool: "ruff", command: ["ruff", "check", "--no-cache", "."] });
  const tests = await testTool(project, pyproject, setup);
  return tests === null ? tools : [...tools, tests];
}

const section = (name: string) => new RegExp(`^\\[${name}(?:[.\\]])`, "m");

async function testTool(project: ProjectFiles, pyproject: string, setup: string): Promise<ProjectCommand | null> {
  const named = project.has("pytest.ini") || /^\[tool\.pytest/m.test(pyproject) || /^\[tool:pytest\]/m.test(setup);
  const files = project.paths.filter((path) => /(?:^|\/)conftest\.py$/.test(path));
  if (named || files.length > 0 || (await listsPytest(project, pyproject, setup)))
    return { kind: "tests", tool: "pytest", command: [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider"] };
  const tests = project.paths.filter((path) => /(?:^|\/)test[^/]*\.py$/.test(path)).toSorted();
  for (const path of tests.slice(0, READ_AT_MOST)) {
    if (!/^\s*(?:import|from)\s+unittest\b/m.test(await project.text(path))) continue;
    return { kind: "tests", tool: "unittest", command: [PYTHON, "-m", "unittest", "discover", ...startFolder(project, path)] };
  }
  return null;
}

async function listsPytest(project: ProjectFiles, pyproject: string, setup: string): Promise<boolean> {
  const lists = project.paths.filter((path) => /^[^/]*requirements[^/]*\.txt$|^Pipfile$|^tox\.ini$/.test(path));
  const texts = [pyproject, setup];
  for (const path of lists) texts.push(await project.text(path));
  return texts.some((text) => /^(?!\s*#).*\bpytest\b/m.test(text));
}

/** unittest finds tests in packages only; a folder without `__init__.py` is where it must start. */
function startFolder(project: ProjectFiles, path: string): string[] {
  const [folder, inner] = path.split("/");
  if (folder === undefined || inner === undefined || project.has(`${folder}/__init__.py`)) return [];
  return ["-s", folder, "-t", folder];
}
