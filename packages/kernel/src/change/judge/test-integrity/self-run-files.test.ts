import { expect, test } from "vitest";
import { SELF_RUN_FILES, selfRunBy } from "./self-run-files.ts";

const FILES: Readonly<Record<string, readonly string[]>> = {
  "Claude Code": [".claude/settings.json", ".claude/settings.local.json", "a/.claude/hooks/x.sh", ".claude/commands/x.md", ".mcp.json"],
  "coding agents": ["AGENTS.md", "deep/CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md", ".windsurfrules"],
  Cursor: [".cursor/rules/x.mdc", ".cursor/mcp.json", ".cursorrules"],
  OpenCode: [".opencode/plugin/x.ts", "opencode.json", "opencode.jsonc"],
  "Gemini CLI": [".gemini/settings.json"],
  Codex: [".codex/config.toml"],
  "VS Code": [".vscode/tasks.json", ".vscode/settings.json", ".vscode/launch.json", ".vscode/extensions.json", "my.code-workspace"],
  JetBrains: [".idea/runConfigurations/x.xml", ".run/x.run.xml"],
  editor: [".vimrc", ".exrc", ".nvim.lua", ".devcontainer/devcontainer.json", ".devcontainer.json"],
  direnv: [".envrc", "packages/a/.envrc"],
  mise: [".tool-versions", "mise.toml", ".mise.local.toml", ".config/mise/config.toml"],
  Yarn: [".yarnrc.yml", ".yarn/plugins/x.cjs", ".yarn/releases/yarn.cjs"],
  pnpm: [".pnpmfile.cjs", ".pnpmfile.mjs", "pnpm-workspace.yaml", ".npmrc"],
  npm: ["binding.gyp", ".npmrc"],
  Bun: ["bunfig.toml"],
  Cargo: [".cargo/config", ".cargo/config.toml", "crates/a/build.rs"],
  pytest: ["conftest.py", "tests/unit/conftest.py"],
  Python: ["sitecustomize.py", "usercustomize.py", "src/x.pth"],
  pip: ["setup.py"],
  nox: ["tox.ini", "noxfile.py"],
  "git hook": ["lefthook.yml", ".lefthook.toml", ".husky/pre-commit", ".pre-commit-config.yaml", ".githooks/pre-push"],
  "git ": [".gitattributes", "src/.gitattributes", ".gitmodules"],
  CI: [
    ".github/workflows/ci.yml",
    ".gitlab-ci.yml",
    ".circleci/config.yml",
    "azure-pipelines.yml",
    "Jenkinsfile",
    "bitbucket-pipelines.yml",
    ".travis.yml",
  ],
  make: ["Makefile", "native/GNUmakefile", "justfile", ".justfile", "Taskfile.yml", "Rakefile"],
  Docker: ["Dockerfile", "Dockerfile.dev", "app.dockerfile", "docker-compose.yml", "compose.override.yaml"],
  Bazel: [".bazelrc", "tools/bazel"],
  Gradle: ["gradlew", "gradlew.bat", "gradle/wrapper/gradle-wrapper.jar", "init.gradle", "init.gradle.kts"],
  Maven: [".mvn/extensions.xml", "mvnw"],
  "test runner": ["jest.config.ts", "packages/a/vitest.config.mjs", "vite.config.ts", ".mocharc.cjs", "karma.conf.js"],
  linter: ["eslint.config.js", ".eslintrc.cjs", ".prettierrc", "prettier.config.mjs", "babel.config.js", ".babelrc.js"],
  bundler: ["webpack.config.js", "next.config.mjs"],
  interpreter: [".irbrc", ".pryrc", ".Rprofile"],
  debugger: [".gdbinit"],
  Slipway: ["slipway/gates.yaml"],
};

test.each(Object.entries(FILES).flatMap(([who, paths]) => paths.map((path) => [path, who] as const)))("%s is run by %s", (path, who) => {
  for (const spelling of [path, path.toUpperCase(), path.replace(/^./, (first) => first.toUpperCase())])
    expect(selfRunBy(spelling)).toContain(who);
});

test.each([
  "src/a.ts",
  "src/app.config.ts",
  "README.md",
  "docs/agents/list.md",
  "package.json",
  "tsconfig.json",
  ".gitignore",
  ".env.example",
  "src/make.ts",
  "test/a.test.ts",
  "src/conftest.ts",
  "pyproject.toml",
  "src/docker.ts",
  "go.mod",
])("%s runs by nobody", (path) => {
  expect(selfRunBy(path)).toBeNull();
});

test("every entry says who runs it, as a sentence after a colon", () => {
  for (const { patterns, told } of SELF_RUN_FILES)
    expect(told, patterns[0]).toMatch(/ (?:runs|run|starts|builds|obeys|obey|fetches|compiles) |judges/);
});
