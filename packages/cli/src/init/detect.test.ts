import { describe, expect, test } from "vitest";
import { modeOf } from "./gates-yaml.ts";
import { detect } from "./detect.ts";
import { fakeMachine, fakeTree, type FakeMachine } from "./testing/fake-project.ts";

const look = (files: Record<string, string>, machine: FakeMachine = {}) => detect(fakeTree(files), fakeMachine(machine));
const commands = (files: Record<string, string>, machine: FakeMachine = {}) =>
  look(files, machine).gates.map(({ name, cmd, cwd }) => `${name}: ${cmd.join(" ")}${cwd === undefined ? "" : ` @ ${cwd}`}`);
const pkg = (value: unknown) => JSON.stringify(value);

describe("Node", () => {
  const scripts = { typecheck: "tsc", lint: "eslint .", test: "vitest run" };

  test.each<[lock: string, manager: string]>([
    ["package-lock.json", "npm"],
    ["npm-shrinkwrap.json", "npm"],
    ["pnpm-lock.yaml", "pnpm"],
    ["yarn.lock", "yarn"],
    ["bun.lock", "bun"],
    ["bun.lockb", "bun"],
  ])("%s means %s", (lock, manager) => {
    const test = manager === "npm" ? "npm test" : `${manager} run test`;
    expect(commands({ "package.json": pkg({ scripts }), [lock]: "" })).toEqual([
      `typecheck: ${manager} run typecheck`,
      `lint: ${manager} run lint`,
      `test: ${test}`,
    ]);
  });

  test("every gate has one sentence with the choice and its reason", () => {
    const { gates } = look({ "package.json": pkg({ scripts }), "yarn.lock": "" });
    expect(gates.map(({ why }) => why)).toEqual(
      ["typecheck", "lint", "test"].map((name) => `package.json has the script "${name}", run with yarn because there is a yarn.lock.`),
    );
  });

  test("the field packageManager decides between two lock files, and where there is none", () => {
    const two = { "package-lock.json": "", "pnpm-lock.yaml": "" };
    expect(commands({ "package.json": pkg({ scripts: { test: "x" }, packageManager: "pnpm@10.1.0" }), ...two })).toEqual([
      "test: pnpm run test",
    ]);
    expect(commands({ "package.json": pkg({ scripts: { test: "x" } }), ...two })).toEqual(["test: npm test"]);
    expect(commands({ "package.json": pkg({ scripts: { test: "x" }, packageManager: "yarn@4.0.0" }) })).toEqual(["test: yarn run test"]);
    expect(commands({ "package.json": pkg({ scripts: { test: "x" }, packageManager: "cargo@1" }) })).toEqual(["test: npm test"]);
  });

  test("Corepack's package manager is shown to gates", () => {
    const files = { "package.json": pkg({ scripts: { test: "x" }, packageManager: "pnpm@10.1.0" }), "pnpm-lock.yaml": "" };
    expect(look(files).gates[0]?.env).toEqual({ CI: "1" });
    const { gates, readOnly } = look(files, { home: [".cache/node/corepack"] });
    expect(gates[0]?.env).toEqual({ CI: "1", COREPACK_HOME: "~/.cache/node/corepack", COREPACK_ENABLE_NETWORK: "0" });
    expect(readOnly).toEqual(["~/.cache/node/corepack"]);
  });

  test.each<[script: string, reason: RegExp]>([
    ['echo "Error: no test specified" && exit 1', /placeholder/],
    ["echo nothing yet", /placeholder/],
    ["exit 0", /placeholder/],
    ["true", /placeholder/],
    ["", /placeholder/],
    ["vitest --watch", /never ends/],
    ["jest --watchAll --coverage", /never ends/],
    ["jest -u", /changes files/],
  ])("the test script %j is no gate", (script, reason) => {
    const { gates, notes } = look({ "package.json": pkg({ scripts: { test: script } }) });
    expect(gates).toEqual([]);
    expect(notes).toEqual([expect.stringMatching(reason)]);
  });

  test.each(["vitest run", "jest --watch=false", "jest --watchAll=false", "echo start && node --test", "react-scripts test"])(
    "the test script %j is a gate",
    (script) => expect(commands({ "package.json": pkg({ scripts: { test: script } }) })).toEqual(["test: npm test"]),
  );

  test("an unsuitable script is skipped in favour of the next name", () => {
    const { gates, notes } = look({
      "package.json": pkg({ scripts: { lint: "eslint --fix .", "lint:check": "eslint .", test: "echo none", "test:unit": "vitest run" } }),
    });
    expect(gates.map(({ cmd }) => cmd.join(" "))).toEqual(["npm run lint:check", "npm run test:unit"]);
    expect(notes).toEqual([
      expect.stringContaining('"lint" of package.json was left out: it changes files'),
      expect.stringContaining('"test"'),
    ]);
  });

  test("packages need node_modules, shared from the checkout", () => {
    const files = { "package.json": pkg({ scripts, devDependencies: { vitest: "5" } }), "package-lock.json": "" };
    expect(look(files, { here: ["node_modules"] })).toMatchObject({ sharedPaths: ["node_modules"], notes: [] });
    expect(look(files)).toMatchObject({ sharedPaths: ["node_modules"], notes: [expect.stringContaining("run `npm ci` before")] });
    expect(look({ "package.json": pkg({ scripts }) }).sharedPaths).toEqual([]);
  });

  test("a workspace whose root has tests is tested from the root", () => {
    const files = {
      "package.json": pkg({ workspaces: ["packages/*"], scripts: { test: "npm test --workspaces" } }),
      "packages/a/package.json": pkg({ scripts: { test: "vitest run" } }),
    };
    expect(commands(files)).toEqual(["test: npm test"]);
  });

  test("a workspace whose root has no tests is checked package by package", () => {
    const dependencies = { zod: "4" };
    const files = {
      "package.json": pkg({ workspaces: ["packages/*"], scripts: { lint: "eslint ." }, dependencies }),
      "pnpm-lock.yaml": "",
      "packages/a/package.json": pkg({ scripts: { test: "vitest run" }, dependencies }),
      "packages/b/package.json": pkg({ scripts: { test: "vitest run" }, dependencies }),
      "packages/c/package.json": pkg({}),
      "examples/shop/package.json": pkg({ scripts: { test: "vitest run" } }),
      "packages/README.md": "",
    };
    expect(commands(files)).toEqual([
      "node-lint: pnpm run lint",
      "packages-a-node-test: pnpm run test @ packages/a",
      "packages-b-node-test: pnpm run test @ packages/b",
    ]);
    const here = ["node_modules", "packages/b/node_modules"];
    expect(look(files, { here }).sharedPaths).toEqual(["node_modules", "packages/b/node_modules"]);
  });

  test.each<[text: string, message: RegExp]>([
    ["{ not json", /web\/package\.json cannot be understood/],
    ["[]", /web\/package\.json cannot be understood \(the file: /],
    ['{"scripts":{"test":1}}', /web\/package\.json cannot be understood \(scripts\.test: /],
  ])("package.json with %j is an error that names the file", (text, message) => {
    expect(() => look({ "web/package.json": text })).toThrow(
      expect.objectContaining({
        code: "config_invalid",
        message: expect.stringMatching(message),
        details: expect.objectContaining({ file: "web/package.json" }),
      }),
    );
  });

  test("a byte order mark is no error", () => {
    expect(commands({ "package.json": `\uFEFF${pkg({ scripts: { test: "x" } })}` })).toEqual(["test: npm test"]);
  });
});

describe("Python", () => {
  const pytest = "python3 -m pytest -q -p no:cacheprovider";

  test.each<[title: string, files: Record<string, string>, reason: string]>([
    ["pytest.ini", { "pytest.ini": "" }, "pytest.ini configures pytest"],
    ["pyproject.toml", { "pyproject.toml": "[tool.pytest.ini_options]\n" }, "pyproject.toml configures pytest"],
    ["setup.cfg", { "setup.cfg": "[tool:pytest]\n" }, "setup.cfg configures pytest"],
    ["tox.ini", { "tox.ini": "[pytest]\n" }, "tox.ini configures pytest"],
    ["conftest.py", { "requirements.txt": "", "tests/conftest.py": "" }, "tests/conftest.py is pytest's"],
    ["a requirements file", { "setup.py": "", "requirements-dev.txt": "ruff\npytest>=8\n" }, "requirements-dev.txt lists pytest"],
    ["a dependency group", { "pyproject.toml": '[dependency-groups]\ndev = ["pytest"]\n' }, "pyproject.toml lists pytest"],
  ])("pytest by %s", (_, files, reason) => {
    const { gates } = look(files);
    expect(gates.map(({ cmd, why }) => [cmd.join(" "), why])).toEqual([[pytest, `${reason}, so the tests run with pytest.`]]);
    expect(gates[0]?.env).toEqual({ PYTHONDONTWRITEBYTECODE: "1" });
  });

  test.each<[files: Record<string, string>, command: string]>([
    [{ "test_a.py": "import unittest" }, "python3 -m unittest discover"],
    [{ "setup.py": "", "tests/test_a.py": "from unittest import TestCase" }, "python3 -m unittest discover -s tests"],
    [{ "tests/__init__.py": "", "tests/unit/a_test.py": "import unittest" }, "python3 -m unittest discover -s tests -t ."],
  ])("unittest %#", (files, command) => {
    expect(commands(files)).toEqual([`test: ${command}`]);
  });

  test("without a sign of a test framework no gate is guessed", () => {
    expect(look({ "pyproject.toml": "[project]\nname = 'a'\n# pytest\n", "tests/test_a.py": "assert True" })).toMatchObject({
      projects: ["Python"],
      gates: [],
    });
    expect(look({ "tox.ini": "[tox]\n" }).notes).toEqual([expect.stringContaining("tox installs packages")]);
    expect(look({ "app.py": "" }).projects).toEqual([]);
  });

  test("the checkout's virtual environment is used and shared", () => {
    const files = { "pytest.ini": "", "ruff.toml": "", "mypy.ini": "[mypy]\nfiles = src\n", "src/a/b.py": "" };
    const here = [".venv/bin/python", ".venv/bin/ruff", ".venv/bin/mypy"];
    const found = look(files, { here, programs: { ".venv/bin/python": ["/home/ada/.local/share/uv/python/3.13/bin/python3"] } });
    expect(found.gates.map(({ cmd }) => cmd.join(" "))).toEqual([
      ".venv/bin/python -m ruff check --no-cache .",
      ".venv/bin/python -m mypy --cache-dir=/tmp/mypy-cache",
      ".venv/bin/python -m pytest -q -p no:cacheprovider",
    ]);
    expect(found).toMatchObject({ sharedPaths: [".venv"], readOnly: ["~/.local/share/uv"] });
    expect(found.gates[2]).toMatchObject({ env: { PYTHONPATH: "src" }, why: expect.stringContaining("in the virtual environment .venv") });
  });

  test("ruff and mypy only if they are configured and installed", () => {
    const config = { "pyproject.toml": "[tool.ruff]\n[tool.ruff.lint]\n[tool.mypy]\n[tool.pytest.ini_options]\n" };
    const programs = { ruff: ["/usr/bin/ruff"], mypy: ["/usr/bin/mypy"] };
    expect(commands(config, { programs })).toEqual([
      "lint: ruff check --no-cache .",
      "typecheck: mypy --cache-dir=/tmp/mypy-cache .",
      `test: ${pytest}`,
    ]);
    expect(commands({ "pytest.ini": "" }, { programs })).toEqual([`test: ${pytest}`]);
    expect(commands({ "setup.cfg": "[mypy]\n", "pytest.ini": "" }, { programs })).toContain(
      "typecheck: mypy --cache-dir=/tmp/mypy-cache .",
    );
    expect(look(config)).toMatchObject({
      gates: [{ name: "test" }],
      notes: [expect.stringContaining("ruff is not installed here"), expect.stringContaining("mypy")],
    });
  });

  test("a table with a similar name is not matched", () => {
    expect(look({ "pyproject.toml": "[tool.ruffian]\n[tool.pytestify]\n" }).gates).toEqual([]);
  });
});

describe("Rust", () => {
  test("offline, and locked if there is a lock file", () => {
    const files = { "Cargo.toml": "", "Cargo.lock": "", "src/lib.rs": "#[tokio::test]\nasync fn a() {}" };
    expect(look(files)).toMatchObject({
      gates: [
        { name: "compile", cmd: ["cargo", "check", "--all-targets", "--workspace", "--offline", "--locked"] },
        { name: "test", cmd: ["cargo", "test", "--workspace", "--offline", "--locked"] },
      ],
      notes: [],
      readOnly: [],
    });
  });

  test("without lock file or tests it says so", () => {
    const { gates, notes } = look({ "Cargo.toml": "", "src/main.rs": "fn main() {}" });
    expect(gates.at(-1)?.cmd).toEqual(["cargo", "test", "--workspace", "--offline"]);
    expect(notes).toEqual([expect.stringContaining("no Cargo.lock"), expect.stringContaining("no #[test] yet")]);
  });

  test("a toolchain in the home folder is mounted, its credentials are not", () => {
    const home = [".cargo/bin", ".cargo/registry", ".cargo/credentials.toml", ".rustup"];
    const programs = { cargo: ["/home/ada/.cargo/bin/cargo", "/home/ada/.cargo/bin/rustup"] };
    const { gates, readOnly } = look({ "Cargo.toml": "" }, { home, programs });
    expect(readOnly).toEqual(["~/.cargo/bin", "~/.cargo/registry", "~/.rustup"]);
    expect(gates[0]?.env).toEqual({ RUSTUP_HOME: "~/.rustup", CARGO_HOME: "~/.cargo" });
  });
});

describe("Go", () => {
  test("vet and test, with a writable cache and no downloads", () => {
    const { gates, readOnly, notes } = look(
      { "go.mod": "", "a_test.go": "" },
      { home: ["go/pkg/mod"], programs: { go: ["/usr/local/go/bin/go"] } },
    );
    expect(gates.map(({ name, cmd }) => [name, cmd.join(" ")])).toEqual([
      ["compile", "go vet ./..."],
      ["test", "go test ./..."],
    ]);
    expect(gates[1]?.env).toEqual({ GOCACHE: "/tmp/go-cache", GOTOOLCHAIN: "local", GOPROXY: "off", GOMODCACHE: "~/go/pkg/mod" });
    expect({ readOnly, notes }).toEqual({ readOnly: ["~/go/pkg/mod"], notes: [] });
  });

  test("vendored dependencies need no module cache", () => {
    const { gates, readOnly, notes } = look({ "go.mod": "", "vendor/modules.txt": "" }, { home: ["go/pkg/mod"] });
    expect(gates[0]).toMatchObject({
      env: expect.not.objectContaining({ GOMODCACHE: expect.anything() }),
      why: expect.stringContaining("vendor/"),
    });
    expect({ readOnly, notes }).toEqual({ readOnly: [], notes: [expect.stringContaining("no *_test.go file yet")] });
  });
});

describe("Java", () => {
  const tested = { "src/test/java/ATest.java": "" };

  test.each<[title: string, files: Record<string, string>, test: string]>([
    ["Maven", { "pom.xml": "" }, "mvn --offline --batch-mode test"],
    ["Maven's wrapper", { "pom.xml": "", "mvnw*": "" }, "./mvnw --offline --batch-mode test"],
    ["a wrapper that may not be executed", { "pom.xml": "", mvnw: "" }, "sh ./mvnw --offline --batch-mode test"],
    ["Gradle", { "build.gradle": "" }, "gradle --offline --no-daemon test"],
    ["Gradle with Kotlin", { "settings.gradle.kts": "", "gradlew*": "" }, "./gradlew --offline --no-daemon test"],
    ["both, neither wrapped", { "pom.xml": "", "build.gradle": "" }, "mvn --offline --batch-mode test"],
    ["both, Gradle wrapped", { "pom.xml": "", "build.gradle": "", "gradlew*": "" }, "./gradlew --offline --no-daemon test"],
    ["both wrapped", { "pom.xml": "", "mvnw*": "", "build.gradle.kts": "", "gradlew*": "" }, "./mvnw --offline --batch-mode test"],
  ])("%s", (_, files, test) => {
    expect(commands({ ...files, ...tested }).at(-1)).toBe(`test: ${test}`);
  });

  test("both: names the one left out, and why", () => {
    expect(look({ "pom.xml": "", "build.gradle": "", ...tested }).notes).toEqual([
      "Maven was chosen and build.gradle left out: it is preferred unless only Gradle has a wrapper.",
    ]);
    expect(look({ "pom.xml": "", "build.gradle": "", "gradlew*": "", ...tested }).notes[0]).toBe(
      "Gradle was chosen and pom.xml left out: only Gradle has a wrapper here.",
    );
    expect(look({ "pom.xml": "" }).notes).toEqual([expect.stringContaining("no src/test yet")]);
  });

  test("downloaded packages are mounted for the offline build", () => {
    const maven = look(
      { "pom.xml": "" },
      { home: [".m2/repository", ".m2/wrapper"], programs: { mvn: ["/opt/maven/bin/mvn"], java: ["/usr/bin/java"] } },
    );
    expect(maven.gates[0]).toMatchObject({
      cmd: ["mvn", "--offline", "--batch-mode", "-Dmaven.repo.local=~/.m2/repository", "test-compile"],
      env: { MAVEN_USER_HOME: "~/.m2" },
    });
    expect(maven.readOnly).toEqual(["~/.m2/repository", "~/.m2/wrapper", "/opt/maven"]);
    const gradle = look({ "build.gradle": "" }, { home: [".gradle/caches"] });
    expect(gradle.gates[0]?.env).toEqual({ GRADLE_RO_DEP_CACHE: "~/.gradle/caches" });
  });
});

describe("several projects", () => {
  test("names and folders are distinct", () => {
    const files = {
      "package.json": pkg({ scripts: { test: "x" } }),
      "api/pyproject.toml": "[tool.pytest.ini_options]",
      "services/mail/go.mod": "",
      "services/mail/a_test.go": "",
      ".hidden/go.mod": "",
      "vendor/x/Cargo.toml": "",
    };
    expect(look(files).projects).toEqual(["Node.js", "Python in api", "Go in services/mail"]);
    expect(commands(files)).toEqual([
      "node-test: npm test",
      "api-python-test: python3 -m pytest -q -p no:cacheprovider @ api",
      "services-mail-go-compile: go vet ./... @ services/mail",
      "services-mail-go-test: go test ./... @ services/mail",
    ]);
  });

  test("fast has the quickest checks that detect broken code; full has all", () => {
    const { gates } = look({ "package.json": pkg({ scripts: { lint: "x", test: "x" } }), "Cargo.toml": "" });
    expect(modeOf(gates, "fast").map(({ name }) => name)).toEqual(["node-lint", "node-test", "rust-compile"]);
    expect(modeOf(gates, "full")).toEqual(gates);
  });

  test("nothing", () => {
    expect(look({ "README.md": "" })).toEqual({ projects: [], gates: [], sharedPaths: [], readOnly: [], notes: [] });
  });
});
