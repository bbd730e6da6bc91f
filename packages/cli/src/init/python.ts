import type { InitFinding, FoundStep } from "./finding.ts";
import { interpreterOf, sourceFolder, type Interpreter } from "./python-interpreter.ts";
import { at, below, firstOf, has, textOf, type InitTarget } from "./target.ts";

const MARKERS = [
  "pyproject.toml",
  "setup.py",
  "setup.cfg",
  "requirements.txt",
  "tox.ini",
  "Pipfile",
  "pytest.ini",
  "ruff.toml",
  "mypy.ini",
];

export function detectPython(place: InitTarget): InitFinding | null {
  const marker = firstOf(place, MARKERS);
  const tests = testFiles(place);
  if (marker === undefined && tests.length === 0) return null;
  const python = interpreterOf(place);
  const env = { PYTHONDONTWRITEBYTECODE: "1", ...sourceFolder(place) };
  const notes: string[] = [];
  const steps = [...ruff(place, python, notes), ...mypy(place, python, notes), ...testStep(place, python, tests)];
  if (has(place, "tox.ini") && !steps.some(({ kind }) => kind === "test")) {
    notes.push(`${at(place, "tox.ini")} was not used: tox installs packages, and gates have no network.`);
  }
  return {
    steps: steps.map((step) => ({ ...step, env })),
    commands: [...new Set(steps.map(({ cmd }) => String(cmd[0])))].map((command) => (command.includes("/") ? at(place, command) : command)),
    shared: python.shared,
    notes,
  };
}

function testStep(place: InitTarget, python: Interpreter, tests: readonly string[]): FoundStep[] {
  const pytest = pytestReason(place);
  if (pytest !== null) {
    const cmd = [python.command, "-m", "pytest", "-q", "-p", "no:cacheprovider"];
    return [{ kind: "test", cmd, why: `${pytest}, so the tests run with pytest${python.because}.` }];
  }
  const unittest = tests.find((path) => /\bunittest\b/.test(textOf(place, path)));
  if (unittest === undefined) return [];
  const why = `${at(place, unittest)} uses unittest and nothing configures pytest, so the tests run with unittest${python.because}.`;
  return [{ kind: "test", cmd: [python.command, "-m", "unittest", "discover", ...startFolder(place, unittest)], why }];
}

/** The start of a sentence why this is a pytest project; null if it is not. */
function pytestReason(place: InitTarget): string | null {
  const file = (name: string) => at(place, name);
  if (has(place, "pytest.ini")) return `${file("pytest.ini")} configures pytest`;
  if (section(place, "pyproject.toml", "tool.pytest")) return `${file("pyproject.toml")} configures pytest`;
  if (section(place, "setup.cfg", "tool:pytest")) return `${file("setup.cfg")} configures pytest`;
  if (section(place, "tox.ini", "pytest")) return `${file("tox.ini")} configures pytest`;
  const conftest = firstOf(place, ["conftest.py", "tests/conftest.py", "test/conftest.py"]);
  if (conftest !== undefined) return `${file(conftest)} is pytest's`;
  const lists = [
    "pyproject.toml",
    "Pipfile",
    "setup.py",
    "setup.cfg",
    ...below(place).filter((path) => /^[^/]*requirements[^/]*\.txt$/.test(path)),
  ];
  const listed = lists.find((name) => /^(?!\s*#).*\bpytest\b/m.test(textOf(place, name)));
  return listed === undefined ? null : `${file(listed)} lists pytest`;
}

function ruff(place: InitTarget, python: Interpreter, notes: string[]): FoundStep[] {
  const file =
    firstOf(place, ["ruff.toml", ".ruff.toml"]) ?? (section(place, "pyproject.toml", "tool.ruff") ? "pyproject.toml" : undefined);
  if (file === undefined) return [];
  return installed(place, python, "ruff", file, ["check", "--no-cache", "."], "lint", notes);
}

function mypy(place: InitTarget, python: Interpreter, notes: string[]): FoundStep[] {
  const file =
    firstOf(place, ["mypy.ini", ".mypy.ini"]) ??
    (section(place, "pyproject.toml", "tool.mypy") ? "pyproject.toml" : section(place, "setup.cfg", "mypy") ? "setup.cfg" : undefined);
  if (file === undefined) return [];
  const knowsItsFiles = /^\s*(?:files|packages|modules)\s*=/m.test(textOf(place, file));
  return installed(place, python, "mypy", file, ["--cache-dir=/tmp/mypy-cache", ...(knowsItsFiles ? [] : ["."])], "typecheck", notes);
}

/** A configured tool becomes a gate only if it can start. */
function installed(
  place: InitTarget,
  python: Interpreter,
  tool: string,
  file: string,
  args: readonly string[],
  kind: FoundStep["kind"],
  notes: string[],
): FoundStep[] {
  const why = `${at(place, file)} configures ${tool}`;
  if (python.hasTool(tool)) return [{ kind, cmd: [python.command, "-m", tool, ...args], why: `${why}${python.because}.` }];
  if (place.machine.locate(tool).length > 0) return [{ kind, cmd: [tool, ...args], why: `${why}, and it is installed.` }];
  notes.push(`${why}, but ${tool} is not installed here: it was left out. Install it, then run \`slipway init --force\`.`);
  return [];
}

function testFiles(place: InitTarget): string[] {
  return below(place).filter((path) => /^(?:(?:tests?)\/(?:.+\/)?)?(?:test_[^/]*|[^/]*_test)\.py$/.test(path));
}

function startFolder(place: InitTarget, test: string): string[] {
  const [folder = "", ...rest] = test.split("/");
  if (rest.length === 0) return [];
  return has(place, `${folder}/__init__.py`) ? ["-s", folder, "-t", "."] : ["-s", folder];
}

/** Whether an INI or TOML file has a table of this name, or one below it. */
function section(place: InitTarget, name: string, table: string): boolean {
  return new RegExp(`^\\s*\\[\\[?\\s*${RegExp.escape(table)}(?:[.\\]\\s])`, "m").test(textOf(place, name));
}
